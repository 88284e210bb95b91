"""The N-pair loss against a loop over classes, and against pytorch-metric-learning."""

import pytest
import torch
from pytorch_metric_learning import distances, losses

from dimco.baselines.metric import NPairLoss
from dimco.errors import InputError


def by_loops(embeddings, labels, l2):
    """The paper's formula, over every set of pairs: the 2j-th item of each class with its (2j + 1)-th."""
    classes = [embeddings[labels == label] for label in labels.unique()]
    found, lengths = [], []
    for start in range(0, len(classes[0]) - 1, 2):
        pairs = [(items[start], items[start + 1]) for items in classes]
        for own, (anchor, positive) in enumerate(pairs):
            differences = [anchor @ other - anchor @ positive for b, (_, other) in enumerate(pairs) if b != own]
            found.append((1 + sum(difference.exp() for difference in differences)).log())
            lengths.append(anchor @ anchor + positive @ positive)
    return sum(found) / len(found) + l2 / 4 * sum(lengths) / len(lengths)


@pytest.mark.parametrize("l2", [0.0, 0.3])
@pytest.mark.parametrize("ways", [4, None])
def test_value_and_gradient_are_those_of_the_formula(batch, assert_same_loss, l2, ways):
    embeddings, labels = batch
    loss = NPairLoss(ways, l2)
    assert_same_loss(lambda x: loss(x, labels).total, lambda x: by_loops(x, labels, l2), embeddings)


def test_one_pair_a_class_is_the_loss_of_the_library(assert_same_loss):
    labels = torch.tensor([4, 4, 0, 0, 9, 9])
    theirs = losses.NPairsLoss(distance=distances.DotProductSimilarity(normalize_embeddings=False))
    assert_same_loss(
        lambda x: NPairLoss(l2=0)(x, labels).total,
        lambda x: theirs(x, labels),
        torch.randn(6, 5, dtype=torch.float64),
    )


def test_the_last_of_an_odd_number_of_items_is_not_used():
    labels = torch.arange(3).repeat(5)
    embeddings = torch.randn(15, 4, requires_grad=True)
    NPairLoss()(embeddings, labels).total.backward()
    used = embeddings.grad.abs().sum(1) > 0
    assert used.tolist() == [True] * 12 + [False] * 3


def test_one_item_a_class_makes_no_pair():
    with pytest.raises(InputError, match="at least 2 items of each class, to make a pair; got 1"):
        NPairLoss()(torch.zeros(3, 2), torch.arange(3))


def test_wrong_settings_are_named():
    with pytest.raises(InputError, match="at least 2 ways; got 1"):
        NPairLoss(1)
    with pytest.raises(InputError, match="at least 0; got -1"):
        NPairLoss(l2=-1)
