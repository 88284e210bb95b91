"""Training by the rule of classification, against the rule itself and sums spelled out."""

from __future__ import annotations

import math

import pytest
import torch
from torch.nn import functional as F  # noqa: N812

from dimco.experiments.fewshot.rule_objective import RuleObjective
from dimco.fewshot.rules import Rule
from dimco.objectives import Infomax
from dimco.spec import CodeSpec

SPEC = CodeSpec(4, 3)
LABELS = torch.tensor([7, 2, 5, 2, 7, 5, 5, 2, 7])
"""Three classes of three items; in the order of their numbers 2, 5 and 7."""


@pytest.fixture
def logits():
    return torch.randn(9, 3, 4, generator=torch.Generator().manual_seed(0))


def test_tasks_are_scored_by_the_rule_over_the_temperature(logits):
    objective = RuleObjective(SPEC, shots=2, ways=3)
    torch.nn.init.constant_(objective.log_temperature, math.log(2))
    by_class = torch.stack([logits[label == LABELS] for label in (2, 5, 7)])
    support, query = by_class[:, :2].flatten(0, 1).log_softmax(-1), by_class[:, 2].log_softmax(-1)
    rule = Rule("product")
    scores = rule.scores(rule.stored(support), torch.tensor([0, 0, 1, 1, 2, 2]), rule.asked(query), 3)
    expected = F.cross_entropy(scores / 2, torch.arange(3))
    torch.testing.assert_close(objective(logits, LABELS).total, expected)


def test_information_is_the_papers_and_is_paid_for_by_its_weight(logits):
    plain, paid = (RuleObjective(SPEC, 1, 3, information=weight)(logits, LABELS) for weight in (0.0, 0.5))
    expected = Infomax(independence=0.0)(logits, LABELS).information
    torch.testing.assert_close(plain.information, expected)
    torch.testing.assert_close(paid.total, plain.total - 0.5 * expected / 3)


def test_gradients_reach_queries_stored_codes_and_the_temperature(logits):
    logits.requires_grad_()
    objective = RuleObjective(SPEC, 1, 3)
    objective(logits, LABELS).total.backward()
    assert (logits.grad.flatten(1).abs().sum(1) > 0).all()
    assert float(objective.log_temperature.grad) != 0


def test_the_temperature_is_fitted_to_the_spread_of_scores(logits):
    objective = RuleObjective(SPEC, 1, 3)
    objective.scale_to(100 * logits)
    flat, items = 100 * logits.flatten(1)[None], torch.arange(9)
    assert float(objective.scores(flat, items, flat, 9).detach().std()) == pytest.approx(2, rel=1e-4)
