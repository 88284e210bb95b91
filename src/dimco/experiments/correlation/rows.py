"""Pearson coefficients between the measures, over the epochs and runs of each method."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from dimco.experiments.correlation.measures import MEASURES
from dimco.experiments.fewshot.job import FewShotJob

Record = dict[str, Any]


def correlation_rows(records: Sequence[Record]) -> list[dict[str, Any]]:
    """A row for each method and pair of measures, whose `metric` is "pearson(a, b)"."""
    rows = []
    for method, points in method_points(records).items():
        jobs = [FewShotJob.from_record(one["job"]) for one in records if one["job"]["method"] == method]
        named = [name for name in MEASURES if all(name in point for point in points)]
        for first, second in itertools.combinations(reversed(named), 2):
            rows.append(
                {
                    "dataset": jobs[0].dataset,
                    "backbone": jobs[0].backbone,
                    "method": method,
                    "k": jobs[0].k,
                    "d": jobs[0].d,
                    "bits": jobs[0].spec.bits,
                    "metric": f"pearson({first}, {second})",
                    "value": pearson([point[first] for point in points], [point[second] for point in points]),
                    "spread": None,
                    "points": len(points),
                    "seeds": sorted(job.seed for job in jobs),
                    "paper": None,
                }
            )
    return rows


def method_points(records: Sequence[Record]) -> dict[str, list[dict[str, Any]]]:
    """The measured points of each method, of all its runs."""
    points: dict[str, list[dict[str, Any]]] = {}
    for record in records:
        if record["job"]["experiment"] == "correlation" and record["points"]:
            points.setdefault(record["job"]["method"], []).extend(record["points"])
    return points


def pearson(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Pearson's coefficient; None where it has none, as one of the two does not vary."""
    a, b = np.asarray(x, float), np.asarray(y, float)
    a, b = a - a.mean(), b - b.mean()
    scale = np.sqrt((a @ a) * (b @ b))
    return None if scale <= 1e-12 else round(float(a @ b / scale), 4)
