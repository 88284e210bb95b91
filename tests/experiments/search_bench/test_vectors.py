"""The float vectors are made once, as their seed says, and searched where they lie."""

from __future__ import annotations

import numpy as np
import pytest

from dimco.experiments.search_bench import vectors
from dimco.experiments.search_bench.memory import Unfit
from dimco.experiments.search_bench.vectors import FloatVectors


def test_the_seed_decides_and_queries_are_others():
    first, second, third = FloatVectors(300, 4, 0), FloatVectors(300, 4, 0), FloatVectors(300, 4, 1)
    np.testing.assert_array_equal(first.rows, second.rows)
    assert (first.rows != third.rows).all()
    assert first.queries.shape == (4, 128)
    assert (first.queries != first.rows[:4]).all()


def test_nearest_is_by_euclidean_distance():
    made = FloatVectors(300, 4, 0)
    distances = ((made.queries[:, None].astype(float) - made.rows[None]) ** 2).sum(-1)
    np.testing.assert_array_equal(made.nearest(3, 5), np.argsort(distances, 1)[:3, :5])


def test_they_are_in_memory_once():
    made = FloatVectors(50, 4, 0)
    made.rows[7] = 0
    assert (made.rows[7] == 0).all()


def test_they_stay_while_someone_looks_at_them():
    rows = FloatVectors(50, 4, 0).rows
    others = [FloatVectors(50, 4, seed).rows for seed in range(1, 20)]
    np.testing.assert_array_equal(rows, FloatVectors(50, 4, 0).rows)
    assert len(others) == 19


def test_they_lie_near_a_subspace():
    singular = np.linalg.svd(FloatVectors(500, 1, 0).rows, compute_uv=False)
    assert singular[15] > 10 * singular[16]


def test_a_graph_of_too_many_is_not_built(monkeypatch):
    monkeypatch.setattr(vectors, "_MOST_FOR_GRAPH", 40)
    with pytest.raises(Unfit, match="takes hours beyond 40 items"):
        _ = FloatVectors(41, 1, 0).graph
