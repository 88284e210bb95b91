"""Pearson coefficients of measures."""

from __future__ import annotations

import numpy as np
import pytest

from dimco.experiments.correlation.measures import MEASURES
from dimco.experiments.correlation.rows import correlation_rows, method_points, pearson
from dimco.experiments.fewshot.job import FewShotJob


@pytest.fixture
def records(rng):
    made = []
    for method in ("dimco-infomax", "triplet"):
        for seed in range(2):
            job = FewShotJob("correlation", method=method, k=64, d=64, seed=seed)
            points = [
                {"epoch": e + 1, "step": e, **dict(zip(MEASURES, rng.normal(size=5), strict=True))} for e in range(4)
            ]
            made.append({"job": job.as_record(), "points": points})
    return made


def test_a_row_a_method_and_pair_is_numpys_coefficient(records):
    rows = correlation_rows(records)
    assert len(rows) == 2 * 10
    row = next(r for r in rows if r["method"] == "triplet" and r["metric"] == "pearson(information_bits, recall@1)")
    points = method_points(records)["triplet"]
    expected = np.corrcoef([p["information_bits"] for p in points], [p["recall@1"] for p in points])[0, 1]
    assert row["value"] == pytest.approx(expected, abs=1e-4)
    assert (row["points"], row["seeds"], row["bits"]) == (8, [0, 1], 384)


def test_measures_that_a_point_lacks_make_no_row(records):
    for record in records:
        for point in record["points"]:
            del point["20way1shot"]
    assert len(correlation_rows(records)) == 2 * 6


def test_what_does_not_vary_has_no_coefficient():
    assert pearson([1, 1, 1], [1, 2, 3]) is None
    assert pearson([1, 2, 3], [-2, -4, -6]) == -1


def test_other_experiments_are_passed_over():
    assert correlation_rows([{"job": FewShotJob(k=2, d=2).as_record()}]) == []
