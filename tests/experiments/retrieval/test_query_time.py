"""Times of queries over a small database."""

from __future__ import annotations

import numpy as np
import pytest

from dimco.experiments.retrieval.learned_codes import StoredCodes
from dimco.experiments.retrieval.query_time import NumpyFloats, measure_times
from dimco.experiments.search_bench.timing import Pace
from dimco.experiments.search_bench.vectors import FloatVectors
from dimco.experiments.search_bench.workload import Workload
from dimco.spec import CodeSpec

pytest.importorskip("faiss")
pytest.importorskip("threadpoolctl")

PACES = {
    "single": Pace(rounds=3, queries=2, at_once=False, turn=0.1, total=0.1),
    "batch": Pace(rounds=3, queries=20, at_once=True, turn=0.1, total=0.1),
}


@pytest.fixture
def stored(rng):
    symbols = rng.integers(0, 4, (300, 6), np.uint8)
    return StoredCodes("mine", symbols, rng.normal(size=(20, 6, 4)).astype(np.float32))


def test_everyone_is_timed_one_query_at_a_time_and_many_at_once(stored):
    specs = [CodeSpec(4, 6), CodeSpec(2, 8)]
    rows = measure_times("cub", 300, specs, {specs[0]: stored}, PACES)
    assert [(row["method"], row["k"], row["codes"], row["mode"]) for row in rows] == [
        (method, k, codes, mode)
        for mode in ("single", "batch")
        for method, k, codes in (
            ("dimco", 4, "mine"),
            ("dimco", 2, "random"),
            ("numpy-flat-l2", None, None),
            ("faiss-flat-l2", None, None),
            ("faiss-flat-l2-512", None, None),
        )
    ]
    assert all(row["value"] > 0 and row["metric"] == "ms_per_query" and row["items"] == 300 for row in rows)
    assert {row["bits"] for row in rows} == {12, 8, 4096, 16384}


def test_codes_of_another_number_of_items_are_left(stored):
    row = measure_times("cub", 299, [CodeSpec(4, 6)], {CodeSpec(4, 6): stored}, PACES)[0]
    assert (row["codes"], row["items"]) == ("random", 299)


def test_numpy_finds_the_nearest_vectors():
    vectors = FloatVectors(200, 9, 0)
    found = NumpyFloats(Workload("random", CodeSpec(2, 8), np.empty((200, 8)), np.empty(0), vectors)).search(
        slice(0, 9), 5
    )
    distances = ((vectors.queries[:, None] - np.array(vectors.rows)[None]) ** 2).sum(-1)
    np.testing.assert_array_equal(found, distances.argsort(1)[:, :5])
