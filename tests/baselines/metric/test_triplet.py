"""The triplet loss against loops over all triplets, and against pytorch-metric-learning."""

import itertools
import math

import pytest
import torch
from pytorch_metric_learning import losses, miners, reducers

from dimco.baselines.metric import TripletLoss
from dimco.errors import InputError


def by_loops(embeddings, labels, margin, mining):
    units = torch.nn.functional.normalize(embeddings, dim=1)
    losses_found = []
    for anchor in range(len(units)):
        far = [(units[anchor] - other).norm() for other in units]
        positives = [far[i] for i in range(len(units)) if labels[i] == labels[anchor] and i != anchor]
        negatives = [far[i] for i in range(len(units)) if labels[i] != labels[anchor]]
        if mining == "hard" and positives and negatives:
            losses_found.append(max(max(positives) - min(negatives) + margin, torch.zeros(())))
        if mining == "semihard":
            pairs = itertools.product(positives, negatives)
            losses_found += [near - away + margin for near, away in pairs if near < away <= near + margin]
    return sum(losses_found) / max(1, len(losses_found))


@pytest.mark.parametrize("mining", ["semihard", "hard"])
@pytest.mark.parametrize("margin", [0.2, 1.0])
def test_value_and_gradient_are_those_of_loops_over_triplets(batch, unbalanced, assert_same_loss, mining, margin):
    loss = TripletLoss(margin, mining)
    for embeddings, labels in (batch, unbalanced):
        assert_same_loss(
            lambda x, y=labels: loss(x, y).total, lambda x, y=labels: by_loops(x, y, margin, mining), embeddings
        )


def test_semi_hard_is_the_miner_and_loss_of_the_library(batch, assert_same_loss):
    embeddings, labels = batch
    miner = miners.TripletMarginMiner(margin=0.2, type_of_triplets="semihard")
    theirs = losses.TripletMarginLoss(margin=0.2)
    assert_same_loss(
        lambda x: TripletLoss(0.2)(x, labels).total, lambda x: theirs(x, labels, miner(x, labels)), embeddings
    )


def test_batch_hard_is_the_miner_and_loss_of_the_library(batch, assert_same_loss):
    embeddings, labels = batch
    theirs = losses.TripletMarginLoss(margin=0.2, reducer=reducers.MeanReducer())
    miner = miners.BatchHardMiner()
    assert_same_loss(
        lambda x: TripletLoss(0.2, "hard")(x, labels).total, lambda x: theirs(x, labels, miner(x, labels)), embeddings
    )


@pytest.mark.parametrize("mining", ["semihard", "hard"])
@pytest.mark.parametrize("labels", [[1, 1, 1], [1, 2, 3]], ids=["no negatives", "no positives"])
def test_a_batch_without_triplets_has_loss_and_gradient_zero(mining, labels):
    embeddings = torch.randn(3, 2, requires_grad=True)
    total = TripletLoss(mining=mining)(embeddings, torch.tensor(labels)).total
    total.backward()
    assert total == 0
    assert not embeddings.grad.any()


def test_gradients_are_finite_when_items_coincide():
    embeddings = torch.ones(4, 3, requires_grad=True)
    for mining in ("semihard", "hard"):
        TripletLoss(mining=mining)(embeddings, torch.tensor([0, 0, 1, 1])).total.backward()
    assert torch.isfinite(embeddings.grad).all()


def test_lengths_count_only_where_they_are_not_scaled_away(batch):
    embeddings, labels = batch
    unit, free = TripletLoss(), TripletLoss(normalized=False)
    assert math.isclose(unit(embeddings, labels).total, unit(3 * embeddings, labels).total)
    assert not math.isclose(free(embeddings, labels).total, free(3 * embeddings, labels).total)


def test_wrong_settings_are_named():
    with pytest.raises(InputError, match="margin above 0; got 0"):
        TripletLoss(0)
    with pytest.raises(InputError, match='"semihard" or "hard"; got \'easy\''):
        TripletLoss(mining="easy")
