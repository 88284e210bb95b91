"""Distances of all pairs against scipy-like loops."""

import math

import pytest
import torch

from dimco.baselines.metric.distances import checked_similarity, cosines, distances, squared_distances
from dimco.errors import InputError


@pytest.fixture
def left():
    return torch.randn(2, 5, 3, dtype=torch.float64)


@pytest.fixture
def right():
    return torch.randn(2, 4, 3, dtype=torch.float64)


def by_pairs(left, right, function):
    return [
        [[function(a.tolist(), b.tolist()) for b in bs] for a in rows] for rows, bs in zip(left, right, strict=True)
    ]


def test_euclidean_distances_are_those_of_each_pair(left, right):
    expected = torch.tensor(by_pairs(left, right, math.dist), dtype=torch.float64)
    torch.testing.assert_close(distances(left, right), expected)
    torch.testing.assert_close(squared_distances(left, right), expected**2)


def test_cosines_are_those_of_each_pair(left, right):
    def cosine(a, b):
        return sum(x * y for x, y in zip(a, b, strict=True)) / (math.hypot(*a) * math.hypot(*b))

    torch.testing.assert_close(cosines(left, right), torch.tensor(by_pairs(left, right, cosine), dtype=torch.float64))


def test_the_distance_of_a_vector_to_itself_has_a_finite_gradient():
    same = torch.ones(2, 3, requires_grad=True)
    distances(same, same).sum().backward()
    assert same.grad.tolist() == [[0, 0, 0], [0, 0, 0]]


def test_an_unknown_similarity_is_named():
    with pytest.raises(InputError, match='"cosine" or "euclidean"; got \'dot\''):
        checked_similarity("dot")
