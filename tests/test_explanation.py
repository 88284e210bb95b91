"""Why an item has its code, and why two items are near."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from dimco.backbones import Standardize
from dimco.errors import InputError
from dimco.explanation import compare_codes, explain_codes
from dimco.heads import LinearHead
from dimco.model import CodeModel
from dimco.similarity import code_scores
from dimco.spec import CodeSpec

P = torch.tensor([[[0.1, 0.7, 0.2], [0.5, 0.1, 0.4]], [[0.2, 0.2, 0.6], [0.45, 0.05, 0.5]]])


@pytest.fixture
def model(rng):
    x = rng.normal(size=(30, 4)).astype(np.float32)
    return CodeModel(Standardize(4).fit(x), LinearHead(4, CodeSpec(5, 3)))


def test_codes_come_with_their_probabilities_and_runners_up():
    found = explain_codes(P.log())
    np.testing.assert_array_equal(found.codes, [[1, 0], [2, 2]])
    np.testing.assert_allclose(found.probabilities, [[0.7, 0.5], [0.6, 0.5]], rtol=1e-6)
    np.testing.assert_array_equal(found.runners_up, [[2, 2], [0, 0]])
    np.testing.assert_allclose(found.runner_up_probabilities, [[0.2, 0.4], [0.2, 0.45]], rtol=1e-6)


def test_shares_are_what_each_position_adds_to_the_score():
    found = compare_codes(P[0].log(), P[1].log())
    np.testing.assert_array_equal(found.query, [1, 0])
    np.testing.assert_array_equal(found.stored, [2, 2])
    assert not found.agree.any()
    np.testing.assert_allclose(found.shares, np.log([0.2, 0.4]), rtol=1e-6)
    assert found.score == pytest.approx(np.log(0.08), rel=1e-6)
    assert found.best == pytest.approx(np.log(0.35), rel=1e-6)


def test_an_item_agrees_with_itself_everywhere():
    found = compare_codes(P[0].log(), P[0].log())
    assert found.agree.all()
    assert found.score == found.best


def test_the_model_explains_what_it_encodes(model, rng):
    x = rng.normal(size=(7, 4))
    found = model.explain(x)
    np.testing.assert_array_equal(found.codes, model.encode(x).unpack())
    p = np.sort(model.log_probs(x).exp().numpy(), axis=-1)
    np.testing.assert_allclose(found.probabilities, p[..., -1], rtol=1e-6)
    np.testing.assert_allclose(found.runner_up_probabilities, p[..., -2], rtol=1e-6)


@pytest.mark.parametrize("make", [np.asarray, torch.as_tensor, np.ndarray.tolist])
def test_the_model_compares_as_search_scores(model, rng, make):
    a, b = rng.normal(size=(2, 4))
    found = model.compare(make(a), make(b))
    scores = code_scores(model.log_probs(a[None]), model.encode(b[None]).unpack())
    assert found.score == pytest.approx(float(scores[0, 0]), rel=1e-6)
    assert found.agree.tolist() == (found.query == found.stored).tolist()


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match=r"shape \(N, d, k\)"):
        explain_codes(P[0])
    with pytest.raises(InputError, match="of two items"):
        compare_codes(P[0], P[1][:1])
