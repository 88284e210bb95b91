"""Merging against sorting everything by score and id."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dimco.cluster.merge import merged
from dimco.search.neighbours import Neighbours

SCORES = st.sampled_from([-np.inf, -3.5, -1.0, -0.5, -0.0, 0.0])
PARTS = st.lists(st.lists(SCORES, max_size=6), min_size=1, max_size=4)


def part_of(items, n, labelled):
    """The n best of some items, (score, id) each, as a shard gives them."""
    best = sorted(items, key=lambda item: (-item[0], item[1]))[:n]
    ids = np.array([[number for _, number in best]], np.int64)
    scores = np.array([[score for score, _ in best]], np.float64)
    return Neighbours(ids, scores, ids % 3 if labelled else None)


@given(parts=PARTS, n=st.integers(1, 9), labelled=st.booleans(), order=st.randoms())
def test_the_best_of_the_parts_are_the_best_of_all(parts, n, labelled, order):
    numbers = list(range(sum(map(len, parts))))
    order.shuffle(numbers)
    taken = iter(numbers)
    items = [[(score, next(taken)) for score in scores] for scores in parts]
    found = merged([part_of(some, n, labelled) for some in items], n)
    expected = sorted((item for some in items for item in some), key=lambda item: (-item[0], item[1]))[:n]
    assert found.ids.tolist() == [[number for _, number in expected]]
    assert found.scores.tobytes() == np.array([[score for score, _ in expected]]).tobytes()
    assert (found.labels is None) == (not labelled)
    if labelled:
        assert found.labels.tolist() == [[number % 3 for _, number in expected]]


def test_queries_are_merged_each_for_itself():
    left = Neighbours(np.array([[1, 2], [2, 1]]), np.array([[-1.0, -2.0], [-1.0, -9.0]]), np.array([["a", "b"]] * 2))
    right = Neighbours(np.array([[7], [7]]), np.array([[-2.0], [-0.5]]), np.array([["longer"], ["longer"]]))
    found = merged([right, left], 2)
    assert found.ids.tolist() == [[1, 2], [7, 2]]
    assert found.scores.tolist() == [[-1.0, -2.0], [-0.5, -1.0]]
    assert found.labels.tolist() == [["a", "b"], ["longer", "a"]]


@pytest.mark.parametrize("n", [1, 5])
def test_parts_without_what_may_be_found_add_nothing(n):
    none = Neighbours(np.empty((1, 0), np.int64), np.empty((1, 0)), None)
    one = Neighbours(np.array([[4]]), np.array([[-1.0]]), None)
    assert merged([none, one], n).ids.tolist() == [[4]]
    assert merged([none, none], n).ids.shape == (1, 0)
