"""Prototypical networks against a loop."""

import pytest
import torch

from dimco.baselines.episodic import ProtoNet
from dimco.errors import InputError


@pytest.mark.parametrize("temperature", [1.0, 8.0])
def test_scores_are_minus_squared_distances_to_class_means(temperature):
    support, query = torch.randn(2, 5, 3), torch.randn(2, 4, 3)
    labels = torch.tensor([1, 0, 1, 0, 0])
    scores = ProtoNet(1, temperature=temperature).scores(support, labels, query, 2)
    for task in range(2):
        for asked in range(4):
            for way in range(2):
                mean = torch.stack([item for item, y in zip(support[task], labels, strict=True) if y == way]).mean(0)
                expected = -sum((a - b) ** 2 for a, b in zip(query[task, asked], mean, strict=True)) / temperature
                torch.testing.assert_close(scores[task, asked, way], expected)


def test_the_temperature_is_trained_only_if_asked():
    labels = torch.arange(2).repeat(3)
    for learned in (False, True):
        learner = ProtoNet(1, temperature=4.0, learned=learned)
        learner(torch.randn(6, 3, requires_grad=True), labels).total.backward()
        assert (learner.log_temperature.grad is not None) == learned


def test_wrong_settings_are_named():
    with pytest.raises(InputError, match="temperature above 0; got 0"):
        ProtoNet(temperature=0)
