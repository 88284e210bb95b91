"""A balanced batch, class by class."""

import pytest
import torch

from dimco.baselines.metric.balanced import by_class, rows_by_class
from dimco.baselines.metric.npair import NPairLoss
from dimco.embedding_model import EmbeddingModel
from dimco.errors import InputError
from dimco.training import ArrayData, TrainingConfig, train


class Identity(torch.nn.Identity):
    """Features as they come, of a known width."""

    def __init__(self, features):
        super().__init__()
        self.out_features = features


@pytest.mark.parametrize("ways", [3, None])
def test_items_are_grouped_by_label_in_the_order_of_the_batch(ways):
    labels = torch.tensor([7, 2, 40, 2, 7, 40, 40, 7, 2])
    groups = by_class(torch.arange(9), labels, ways)
    expected = [[row for row in range(9) if labels[row] == label] for label in (2, 7, 40)]
    assert groups.tolist() == expected


def test_gradients_reach_the_items_that_were_grouped():
    values = torch.arange(4.0).requires_grad_()
    by_class(values, torch.tensor([1, 0, 1, 0]))[0].sum().backward()
    assert values.grad.tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize(
    "labels",
    [[0, 0, 0, 1], [0, 0, 0, 0], [0, 1, 2, 3], [0, 1, 1, 1]],
    ids=["three and one", "one class", "four classes", "one and three"],
)
def test_a_batch_that_is_not_balanced_is_refused(labels):
    assert not rows_by_class(torch.tensor(labels), 2)[1]
    with pytest.raises(InputError, match="expected 2 items of each of 2 classes"):
        by_class(torch.zeros(4, 1), torch.tensor(labels), 2)


def test_a_batch_that_cannot_be_balanced_is_refused():
    with pytest.raises(InputError, match="as many items of each of 2 classes; got 5 items"):
        by_class(torch.zeros(5, 1), torch.tensor([0, 0, 0, 1, 1]))


def test_with_the_number_of_classes_given_no_value_is_waited_for():
    """Tensors of the device "meta" have shapes and no values: reading one would fail."""
    groups = by_class(torch.zeros(6, 4, device="meta"), torch.zeros(6, dtype=torch.int64, device="meta"), 3)
    assert groups.shape == (3, 2, 4)


def test_the_training_loop_tells_how_many_classes_a_batch_has(blobs):
    objective = NPairLoss()
    model = EmbeddingModel(Identity(6), width=4)
    for balanced, known in ((None, None), (3, 3), (None, 3)):
        config = TrainingConfig(epochs=1, batch_size=60, balanced=balanced, device="cpu")
        train(model, objective, ArrayData(blobs.x, blobs.labels), config)
        assert objective.ways == known


def test_one_class_is_no_batch_to_learn_from():
    with pytest.raises(InputError, match="at least 2 ways; got 1"):
        NPairLoss(1)
