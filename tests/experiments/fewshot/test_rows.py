"""Rows of the few-shot tables."""

from __future__ import annotations

import pytest

from dimco.experiments.fewshot.job import FewShotJob
from dimco.experiments.fewshot.rows import fewshot_rows


def code_record(validation, value, experiment="fewshot", **changes):
    job = FewShotJob(experiment, k=64, d=128, **changes)
    found = [
        {"shots": shots, "rule": rule, "aggregated": rule == "mean", "value": value + shots, "interval": 0.5}
        | {"episodes": 1000, "validation": validation + (rule == "mean")}
        for shots in (1, 5)
        for rule in ("nearest", "mean")
    ]
    return {"job": job.as_record(), "bits": 768, "accuracies": found, "steps": job.steps}


def task_record(validations, values, **changes):
    job = FewShotJob(method="protonet", **changes)
    found = [
        {"shots": shots, "value": value, "interval": 0.5, "episodes": 1000, "validation": validation}
        for shots, value, validation in zip((1, 5), values, validations, strict=True)
    ]
    return {"job": job.as_record(), "bits": 51_200, "accuracies": found, "steps": job.steps}


def values(rows, method):
    return {(row["metric"], row["rule"]): row["value"] for row in rows if row["method"] == method}


def test_settings_are_chosen_on_validation_classes_whatever_the_test_says():
    rows = fewshot_rows([code_record(60.0, 50.0, lr=0.1), code_record(59.0, 90.0, lr=0.2)])
    assert values(rows, "dimco-decoder") == {
        ("5way1shot", "nearest"): 51.0,
        ("5way1shot", "mean"): 51.0,
        ("5way5shot", "nearest"): 55.0,
        ("5way5shot", "mean"): 55.0,
    }


def test_seeds_of_one_setting_are_averaged():
    rows = fewshot_rows(
        [code_record(60.0, 50.0, seed=seed) | {} for seed in (0, 1)] + [code_record(60.0, 53.0, seed=2)]
    )
    row = rows[0]
    assert (row["value"], row["seeds"]) == (52.0, [0, 1, 2])
    assert row["spread"] == pytest.approx(3**0.5, abs=1e-3)
    assert (row["bits"], row["interval"], row["episodes"]) == (768, 0.5, 1000)


def test_a_method_of_tasks_has_its_best_training_for_each_number_of_shots():
    one, five = task_record((50.0, 60.0), (48.0, 62.0), shots=1), task_record((45.0, 66.0), (44.0, 67.0), shots=5)
    assert values(fewshot_rows([one, five]), "protonet") == {("5way1shot", None): 48.0, ("5way5shot", None): 67.0}


def test_published_figures_stand_beside_the_rows_they_are_of():
    rows = fewshot_rows([code_record(60.0, 50.0), task_record((1.0, 1.0), (50.0, 68.0))])
    paper = {(row["method"], row["metric"], row["rule"]): row["paper"] for row in rows}
    assert paper["dimco-decoder", "5way1shot", "nearest"] == 53.29
    assert paper["dimco-decoder", "5way5shot", "nearest"] == 64.79
    assert paper["dimco-decoder", "5way5shot", "mean"] is None
    assert (paper["protonet", "5way1shot", None], paper["protonet", "5way5shot", None]) == (49.42, 68.20)


def test_pilots_are_no_rows_and_speeds_are():
    speed = code_record(1.0, 1.0, "throughput") | {"images_per_second": 90_000, "gpu_busy_percent": 95.0}
    rows = fewshot_rows([code_record(70.0, 80.0, "pilot"), speed])
    assert [(row["metric"], row["value"], row["gpu_busy_percent"]) for row in rows] == [
        ("images_per_second", 90_000, 95.0)
    ]
