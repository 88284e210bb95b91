import numpy as np
import pytest
import torch

from dimco.backbones import Standardize
from dimco.code_heads.codeword import CodewordHead
from dimco.errors import InputError
from dimco.model import CodeModel
from dimco.spec import CodeSpec

SPEC = CodeSpec(k=5, d=3)


@pytest.fixture
def codeword_head(rng):
    """Six classes over three positions of five symbols, in evaluation mode; symbol 4 is never used."""
    head = CodewordHead(4, SPEC, classes=6, hidden=8, sharpness=2.0)
    head.assign(rng.integers(0, 4, (6, 3)))
    return head.eval()


def class_posterior(head, x):
    """softmax(sharpness * scores) of each item, by hand."""
    scores = head.sharpness * head.layers(x).detach().double().numpy()
    weights = np.exp(scores - scores.max(1, keepdims=True))
    return weights / weights.sum(1, keepdims=True)


def test_a_symbol_is_as_likely_as_the_classes_that_have_it(codeword_head):
    x = torch.randn(9, 4)
    p = codeword_head(x).detach().double().exp()
    codewords = codeword_head.codewords.tolist()
    for item, posterior in enumerate(class_posterior(codeword_head, x)):
        for i in range(SPEC.d):
            for s in range(SPEC.k):
                members = [c for c in range(6) if codewords[c][i] == s]
                assert p[item, i, s].item() == pytest.approx(sum(posterior[c] for c in members), rel=1e-5, abs=1e-30)


def test_codeword_probabilities_add_up_to_one_whatever_symbols_are_used(codeword_head):
    p = codeword_head(torch.randn(9, 4)).exp()
    torch.testing.assert_close(p.sum(-1), torch.ones(9, 3))
    assert (p[..., 4] == 0).all(), "no class has the symbol"


def test_a_sharp_posterior_gives_the_codeword_of_the_likeliest_class(codeword_head):
    x = torch.randn(50, 4)
    codeword_head.sharpness = 1e4
    expected = codeword_head.codewords[codeword_head.layers(x).argmax(-1)]
    assert torch.equal(codeword_head(x).argmax(-1), expected)


def test_a_doubtful_item_keeps_the_symbols_that_its_likely_classes_share():
    head = CodewordHead(4, SPEC, classes=3, hidden=8).eval()
    head.assign(np.array([[0, 1, 2], [0, 3, 2], [4, 4, 4]]))
    with torch.no_grad():
        head.layers[-1].weight.zero_()
        head.layers[-1].bias.copy_(torch.tensor([5.0, 5.0, -5.0]))
    p = head(torch.randn(1, 4)).exp()[0]
    assert p[[0, 1, 1, 2], [0, 1, 3, 2]].tolist() == pytest.approx([1, 0.5, 0.5, 1])


def test_codeword_logits_and_gradients_are_finite_for_huge_scores(codeword_head):
    x = (1e6 * torch.randn(9, 4)).requires_grad_()
    logits = codeword_head(x)
    logits.sum().backward()
    assert logits.isfinite().all()
    assert logits.dtype == torch.float32
    assert x.grad.isfinite().all()


def test_codewords_and_sharpness_are_saved_with_the_model(codeword_head, tmp_path):
    model = CodeModel(Standardize(4), codeword_head)
    model.save(tmp_path / "model")
    again = CodeModel.load(tmp_path / "model")
    x = np.random.default_rng(1).normal(size=(7, 4))
    assert torch.equal(again.log_probs(x), model.log_probs(x))
    assert again.encode(x) == model.encode(x)
    assert torch.equal(again.head.codewords, codeword_head.codewords)
    assert again.head.config == {
        "features": 4, "classes": 6, "hidden": 8, "dropout": 0.2, "sharpness": 2.0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("codewords", "message"),
    [
        (np.zeros((5, 3), int), r"expected 6 codewords of 5x3, one a class; got shape \(5, 3\)"),
        (np.zeros((6, 2), int), r"got shape \(6, 2\)"),
        (np.zeros(6, int), r"got shape \(6,\)"),
        (np.full((6, 3), 5), "expected symbols from 0 to 4; got 5 to 5"),
        (np.full((6, 3), -1), "expected symbols from 0 to 4; got -1 to -1"),
    ],
)
def test_codewords_of_another_shape_or_alphabet_are_refused(codeword_head, codewords, message):
    before = codeword_head.codewords.clone()
    with pytest.raises(InputError, match=message):
        codeword_head.assign(codewords)
    assert torch.equal(codeword_head.codewords, before)
