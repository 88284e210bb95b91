"""From records of trainings to rows."""

from __future__ import annotations

import pytest

from dimco.experiments.retrieval.rows import retrieval_rows, trained_by


def of(rows, **wanted):
    return [row for row in rows if all(row[name] == value for name, value in wanted.items())]


def test_a_code_gets_a_row_for_each_metric_beside_the_papers_figure(record):
    rows = retrieval_rows([record(seed=0, codes=[57.0]), record(seed=1, codes=[59.0])])
    recall, precision = of(rows, metric="recall@1", method="dimco-infomax")[0], of(rows, metric="map@r")[0]
    assert (recall["value"], recall["spread"], recall["seeds"]) == (58.0, pytest.approx(1.414), [0, 1])
    assert (recall["k"], recall["d"], recall["bits"], recall["paper"]) == (64, 64, 384, 55.78)
    assert (recall["dataset"], recall["backbone"], recall["head"]) == ("cub", "resnet50", "distance")
    assert precision["paper"] is None


def test_the_settings_that_do_best_on_held_out_classes_stand_for_a_code(record):
    records = [
        record(stage="select", lr=1e-4, curve=[60.0, 70.0]),
        record(stage="select", lr=1e-3, curve=[80.0, 65.0]),
        record(lr=1e-4, codes=[50.0], curve=[0, 0]),
        record(lr=1e-3, codes=[90.0], curve=[0, 0]),
    ]
    row = of(retrieval_rows(records), metric="recall@1", method="dimco-infomax")[0]
    assert (row["value"], row["held_out"], row["epochs"]) == (50.0, 70.0, 2), "as many epochs as the training took"
    stopped = record(lr=1e-3, stop=1, codes=[88.0], curve=[0])
    row = of(retrieval_rows([*records, stopped]), metric="recall@1", method="dimco-infomax")[0]
    assert (row["value"], row["held_out"], row["epochs"]) == (88.0, 80.0, 1)


def test_what_a_code_is_trained_by_makes_another_row(record):
    records = [record(), record(metric=0.0, decoded=0.0), record(information=0.0), record(head="linear")]
    rows = of(retrieval_rows(records), metric="recall@1", method="dimco-infomax")
    assert {(row["head"], row["trained"]) for row in rows} == {
        ("distance", "information+metric"),
        ("distance", "information"),
        ("distance", "metric"),
        ("linear", "information+metric"),
    }


def test_floats_and_quantizers_are_named_after_the_loss(record):
    rows = of(retrieval_rows([record(method="triplet")]), metric="recall@1")
    assert {row["method"]: row["bits"] for row in rows} == {"triplet": 4096, "triplet+opq": 384}
    assert {(row["head"], row["trained"]) for row in rows} == {(None, None)}
    ours = {row["method"] for row in retrieval_rows([record()])}
    assert ours == {"dimco-infomax", "dimco-infomax+floats", "dimco-infomax+opq"}


def test_frozen_features_are_another_backbone_and_no_concern_of_the_paper(record):
    row = of(retrieval_rows([record(dataset="cub-frozen")]), metric="recall@1", method="dimco-infomax")[0]
    assert (row["dataset"], row["backbone"], row["paper"]) == ("cub", "resnet50 frozen", None)


def test_jobs_that_select_make_no_rows(record):
    assert retrieval_rows([record(stage="select", curve=[1.0])]) == []


def test_what_trains_is_told_from_the_weights(job):
    assert trained_by(job(information=0.0, metric=0.0)) == "metric"
    assert trained_by(job(method="triplet")) == ""
