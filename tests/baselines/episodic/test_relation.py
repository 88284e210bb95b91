"""Relation networks against networks on concatenated pairs."""

import pytest
import torch

from dimco.baselines.episodic import RelationNet, relation
from dimco.errors import InputError

LABELS = torch.tensor([1, 0, 1, 0])
SHAPES = [6, (3, 5, 5), (3, 2, 2), (6, 1, 1)]


def of_pairs(learner, support, query):
    """The relation of each pair by one layer on the class and the query side by side, one pair at a time."""
    weight = torch.cat([learner.of_class.weight, learner.of_query.weight], 1)
    scores = torch.empty(len(query), 2)
    for way in range(2):
        mean = support[way == LABELS].mean(0).view(learner.shape)
        for row, item in enumerate(query):
            pair = torch.cat([mean, item.view(learner.shape)])[None]
            if len(learner.shape) == 1:
                first = torch.nn.functional.linear(pair, weight, learner.of_class.bias)
            else:
                first = torch.nn.functional.conv2d(pair, weight, padding=1)
            scores[row, way] = learner.relation(first)
    return scores


@pytest.mark.parametrize("features", SHAPES)
def test_each_pair_is_related_by_a_network_on_both_side_by_side(features):
    learner = RelationNet(features, 2, width=8).eval()
    width = torch.Size(learner.shape).numel()
    support, query = torch.randn(2, 4, width), torch.randn(2, 3, width)
    with torch.no_grad():
        scores = learner.scores(support, LABELS, query, 2)
        for task in range(2):
            torch.testing.assert_close(scores[task], of_pairs(learner, support[task], query[task]))


def test_many_tasks_are_scored_a_few_at_a_time_to_the_same_end(monkeypatch):
    learner = RelationNet((3, 5, 5), 2, width=8).eval()
    support, query = torch.randn(5, 4, 75), torch.randn(5, 3, 75)
    with torch.no_grad():
        expected = learner.scores(support, LABELS, query, 2)
        monkeypatch.setattr(relation, "_NUMBERS_AT_ONCE", 1000)
        torch.testing.assert_close(learner.scores(support, LABELS, query, 2), expected)


def test_the_network_on_maps_has_the_layers_of_the_paper():
    layers = [type(layer).__name__ for layer in RelationNet((64, 19, 19)).relation]
    block = ["BatchNorm2d", "ReLU", "MaxPool2d"]
    assert layers == [*block, "Conv2d", *block, "Flatten", "Linear", "ReLU", "Linear"]


@pytest.mark.parametrize("features", [0, (3, 5), (3, 0, 5)])
def test_a_shape_that_is_none_is_named(features):
    with pytest.raises(InputError, match="expected a width, or channels, height and width"):
        RelationNet(features)
