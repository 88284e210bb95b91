"""Binomial deviance against a loop over pairs (pytorch-metric-learning has no such loss)."""

import pytest
import torch

from dimco.baselines.metric import BinomialDeviance
from dimco.errors import InputError


def by_loops(embeddings, labels, alpha, beta, cost):
    parts = {True: [], False: []}
    for i in range(len(labels)):
        for j in range(len(labels)):
            if i != j:
                same = bool(labels[i] == labels[j])
                cosine = embeddings[i] @ embeddings[j] / (embeddings[i].norm() * embeddings[j].norm())
                m = 1 if same else -cost
                parts[same].append((1 + (-alpha * (cosine - beta) * m).exp()).log())
    return sum(sum(values) / len(values) for values in parts.values() if values)


@pytest.mark.parametrize(("alpha", "beta", "cost"), [(2.0, 0.5, 25.0), (3.0, 0.1, 2.0)])
def test_value_and_gradient_are_those_of_a_loop_over_pairs(batch, unbalanced, assert_same_loss, alpha, beta, cost):
    loss = BinomialDeviance(alpha, beta, cost)
    for embeddings, labels in (batch, unbalanced):
        assert_same_loss(
            lambda x, y=labels: loss(x, y).total, lambda x, y=labels: by_loops(x, y, alpha, beta, cost), embeddings
        )


def test_a_batch_of_different_classes_has_negative_pairs_alone(assert_same_loss):
    labels = torch.arange(4)
    assert_same_loss(
        lambda x: BinomialDeviance()(x, labels).total,
        lambda x: by_loops(x, labels, 2.0, 0.5, 25.0),
        torch.randn(4, 3, dtype=torch.float64),
    )


def test_wrong_settings_are_named():
    with pytest.raises(InputError, match="alpha and cost above 0; got 0 and 25"):
        BinomialDeviance(0)
