"""The best runs of a sweep."""

from __future__ import annotations

from statistics import mean, stdev

import pytest

from dimco.experiments.fewshot.job import FewShotJob
from dimco.experiments.small_train.rows import small_train_rows


def record(method, images, seed, validation, value):
    code = {"k": 64, "d": 64} if method == "dimco-infomax" else {}
    job = FewShotJob("small-train", method=method, images_a_class=images, seed=seed, **code)
    rules = ("nearest", "mean") if code else (None,)
    found = [
        {"shots": shots, "value": value + shots + (rule == "mean"), "validation": validation}
        | ({"rule": rule} if rule else {})
        for shots in (1, 5)
        for rule in rules
    ]
    return {"job": job.as_record(), "accuracies": found, "validation": validation}


@pytest.fixture
def records():
    made = [record("triplet", 4, seed, 30.0 + seed, 40.0 - seed) for seed in range(7)]
    return [*made, record("dimco-infomax", 1, 0, 25.0, 26.0)]


def test_the_best_five_by_validation_are_averaged_on_test_classes(records):
    row = next(r for r in small_train_rows(records) if (r["method"], r["metric"]) == ("triplet", "5way1shot"))
    values = [41.0 - seed for seed in (6, 5, 4, 3, 2)]
    assert row["value"] == mean(values)
    assert row["spread"] == round(stdev(values), 3)
    assert (row["runs"], row["best_of"], row["seeds"]) == (7, 5, [6, 5, 4, 3, 2])


def test_codes_are_compared_by_the_papers_rule(records):
    row = next(r for r in small_train_rows(records) if (r["method"], r["metric"]) == ("dimco-infomax", "5way5shot"))
    assert (row["value"], row["images_a_class"], row["sizes"]) == (31.0, 1, ["64x64"])


def test_those_that_cannot_train_say_so(records):
    rows = [row for row in small_train_rows(records) if row["metric"] == "cannot"]
    assert [(row["method"], row["images_a_class"]) for row in rows] == [("triplet", 1), ("npair", 1), ("protonet", 1)]
    assert rows[0]["reason"] == "needs a second image of a class, for its positive"


def test_without_runs_there_are_no_rows():
    assert small_train_rows([]) == []
