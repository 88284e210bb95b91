"""The slow reference against the slowest one."""

from __future__ import annotations

import numpy as np

from dimco.experiments.search_bench import reference
from dimco.experiments.search_bench.reference import exact_ids


def test_best_first_and_equal_scores_by_the_smaller_id(rng, monkeypatch):
    monkeypatch.setattr(reference, "_CHUNK", 7)
    symbols = rng.integers(0, 3, (60, 4), dtype=np.uint8)
    table = np.round(rng.normal(size=(4, 3)), 1).astype(np.float32)
    scores = [sum(float(table[i, s]) for i, s in enumerate(row)) for row in symbols]
    expected = sorted(range(60), key=lambda item: (-scores[item], item))
    np.testing.assert_array_equal(exact_ids(symbols, table, 25), expected[:25])
    np.testing.assert_array_equal(exact_ids(symbols, table, 100), expected)
