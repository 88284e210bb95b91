"""The objective of the few-shot codes is the library's two objectives, without waiting for the device."""

from __future__ import annotations

import itertools
import math

import pytest
import torch
from torch.nn import functional as F  # noqa: N812

from dimco.errors import InputError
from dimco.experiments.fewshot.objective import FewShotObjective, class_information, position_dependence
from dimco.objectives import DecoderInfomax, Infomax
from dimco.spec import CodeSpec

SPEC = CodeSpec(4, 3)
LABELS = torch.tensor([5, 5, 0, 0, 3, 3, 0, 5])


@pytest.fixture
def logits():
    return torch.randn(8, 3, 4, generator=torch.Generator().manual_seed(0))


def test_infomax_is_the_papers_loss_averaged_over_positions(logits):
    found = FewShotObjective(SPEC, 6, 1.0, 0.0, independence=0.3, sharpness=2.0)(logits, LABELS)
    expected = Infomax(independence=0.3)(2 * logits, LABELS)
    torch.testing.assert_close(found.total, expected.total / 3)
    torch.testing.assert_close(found.information, expected.information)
    torch.testing.assert_close(found.dependence, expected.dependence)


def test_classes_that_are_absent_change_nothing(logits):
    p = logits.softmax(-1)
    torch.testing.assert_close(class_information(p, LABELS, 6), class_information(p, LABELS, 60))


def test_decoder_is_cross_entropy_of_its_scores_over_the_temperature(logits):
    objective = FewShotObjective(SPEC, 6, 0.0, 1.0, temperature=4.0, label_smoothing=0.1)
    library = DecoderInfomax(SPEC, 6)
    library.load_state_dict(objective.bound.state_dict())
    scores = torch.zeros(8, 6)
    for item, label in itertools.product(range(8), range(6)):
        symbols = logits[item].argmax(-1)
        table = library.table[label].log_softmax(-1)
        scores[item, label] = sum(table[i, symbols[i]] for i in range(3)) + math.log(1 / 6)
    expected = F.cross_entropy(scores / 4, LABELS, label_smoothing=0.1)
    found = objective(logits, LABELS)
    torch.testing.assert_close(found.total, expected)
    torch.testing.assert_close(found.cross_entropy, expected)


def test_both_is_the_weighted_sum(logits):
    both = FewShotObjective(SPEC, 6, 1.0, 0.5)
    found = both(logits, LABELS)
    infomax = FewShotObjective(SPEC, 6, 1.0, 0.0)(logits, LABELS)
    torch.testing.assert_close(found.total, infomax.total + 0.5 * found.cross_entropy)


def test_gradients_reach_logits_and_table(logits):
    logits.requires_grad_()
    both = FewShotObjective(SPEC, 6, 1.0, 1.0)
    both(logits, LABELS).total.backward()
    assert logits.grad.abs().sum() > 0
    assert both.bound.table.grad.abs().sum() > 0


def test_dependence_of_a_long_code_is_a_mean_over_pairs_of_a_ring(logits):
    p = torch.randn(9, 33, 32, generator=torch.Generator().manual_seed(1)).softmax(-1)
    pairs = [_divergence(p[:, a], p[:, b]) for a, b in itertools.combinations(range(33), 2)]
    drawn = [float(position_dependence(p, torch.Generator().manual_seed(seed))) for seed in range(40)]
    assert 33 * min(pairs) < min(drawn) <= max(drawn) < 33 * max(pairs)
    assert sum(drawn) / 40 == pytest.approx(33 * sum(pairs) / len(pairs), rel=0.02)
    assert float(position_dependence(p, torch.Generator().manual_seed(7))) == drawn[7]


def _divergence(a, b):
    joint = torch.einsum("na,nb->ab", a, b) / len(a)
    product = a.mean(0)[:, None] * b.mean(0)
    return float((joint * (joint / product).log()).sum())


def test_settings_are_checked():
    with pytest.raises(InputError, match="expected a sharpness and a temperature above 0; got 0 and 1"):
        FewShotObjective(SPEC, 6, 1.0, 0.0, sharpness=0, temperature=1)
