"""Tables of few-shot classification."""

from __future__ import annotations

import pytest

from dimco.experiments.fewshot.render import (
    NOT_MEASURED,
    cells_view,
    goals_view,
    pilot_view,
    rules_view,
    speed_view,
    steps_view,
)


def row(method, metric, value, rule=None, aggregated=None, paper=None, validation=50.0):
    k, d, bits = (64, 128, 768) if method.startswith("dimco") else (None, None, 51_200)
    what = {"dataset": "miniimagenet", "backbone": "conv4", "method": method, "k": k, "d": d, "bits": bits}
    found = {"metric": metric, "value": value, "interval": 0.6, "paper": paper, "validation": validation}
    return {**what, **found, "rule": rule, "aggregated": aggregated}


@pytest.fixture
def results():
    rows = [
        row("dimco-decoder", "5way1shot", 54.0, "nearest", False, 53.29),
        row("dimco-decoder", "5way1shot", 54.5, "match", True),
        row("dimco-decoder", "5way5shot", 63.0, "nearest", False, 64.79),
        row("dimco-decoder", "5way5shot", 69.0, "mean", True),
        row("dimco-infomax", "5way5shot", 65.0, "nearest", False, 64.79, validation=40.0),
        row("protonet", "5way1shot", 49.0, paper=49.42),
        row("protonet", "5way5shot", 68.5, paper=68.2),
        {"dataset": "miniimagenet", "backbone": "conv4", "method": "dimco-decoder", "metric": "images_per_second"}
        | {"value": 90_000, "gpu_busy_percent": 95.0, "batch_size": 100, "accelerator": "a GPU"},
    ]
    job = {"experiment": "pilot", "method": "dimco-both", "backbone": "conv4", "classes": 10, "items": 8, "lr": 0.05}
    job |= {"sharpness": 4.0, "independence": 0.1, "temperature": 4.0, "decoder": 1.0, "optimizer": "sgd"}
    pilots = [
        {"job": {**job, "label_smoothing": s}, "steps": 9, "validation": v} for s, v in ((0.0, 50.0), (0.1, 51.0))
    ]
    return {"rows": rows, "jobs": pilots}


def lines(table):
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]


def test_ours_stand_beside_what_is_published(results):
    table = lines(cells_view("miniimagenet", "conv4")(results))
    found = {(line[0], line[3]): line for line in table}
    assert found["dimco-decoder", "nearest"][4:10] == [
        "54.00 ± 0.60",
        "53.29",
        "+0.71",
        "63.00 ± 0.60",
        "64.79",
        "-1.79",
    ]
    assert found["dimco-decoder", "aggregated: match, mean"][4:10] == ["54.50 ± 0.60", "", "", "69.00 ± 0.60", "", ""]
    assert found["protonet", ""][1:10] == [
        "",
        "51,200",
        "",
        "49.00 ± 0.60",
        "49.42",
        "-0.42",
        "68.50 ± 0.60",
        "68.20",
        "+0.30",
    ]


def test_rows_of_others_are_marked_and_have_a_source(results):
    table = lines(cells_view("miniimagenet", "conv4")(results))
    quoted = {line[0]: line for line in table if line[0].endswith("(quoted)")}
    assert quoted["metalstm (quoted)"][5] == "43.44"
    assert quoted["metalstm (quoted)"][-1] == "Ravi, Larochelle 2017"
    assert quoted["protonet (quoted)"][-1] == "beside ours above; Snell et al. 2017"
    assert all(line[4] == "" and line[-1] for line in quoted.values())


def test_every_rule_has_a_column(results):
    table = lines(rules_view(results))
    assert table[0] == ["dataset", "backbone", "method", "code", "metric", "nearest", "match", "mean", "chosen"]
    assert table[2][4:] == ["5way1shot", "54.00", "54.50", "", "match"]
    assert table[3][4:] == ["5way5shot", "63.00", "", "69.00", "mean"]


def test_goals_say_what_falls_short(results):
    table = {line[0]: line for line in lines(goals_view(results))}
    nearest = table["miniimagenet, conv4, codes 64x128"]
    assert nearest[2:] == [
        "53.29",
        "54.00",
        "+0.71",
        "dimco-decoder, nearest",
        "64.79",
        "63.00",
        "-1.79",
        "dimco-decoder, nearest",
    ]
    assert table["miniimagenet, conv4, codes, aggregated 64x128"][6:9] == ["68.80", "69.00", "+0.20"]
    assert table["miniimagenet, conv4, protonet"][2:5] == ["49.42", "49.00", "-0.42"]
    assert table["cifar-fs, conv4, codes 64x128"][3:5] == ["", ""]


def test_speed_and_pilots(results):
    assert lines(speed_view(results))[2] == [
        "miniimagenet",
        "conv4",
        "dimco-decoder",
        "100",
        "90,000",
        "95.00",
        "a GPU",
    ]
    table = lines(pilot_view(results))
    assert [line[-1] for line in table[2:]] == ["51.00", "50.00"]
    assert "0.05" in table[2]


def test_before_a_measurement_the_tables_say_so():
    empty = {"rows": [], "jobs": []}
    views = (cells_view("cifar-fs", "conv4"), rules_view, goals_view, speed_view, pilot_view)
    assert {view(empty) for view in views} == {NOT_MEASURED}


def test_the_kinds_of_steps_stand_one_a_line():
    rows = [
        {"method": method, "metric": metric, "value": value}
        for method, speed in (("plain", 18_000.4), ("captured", 41_000.0))
        for metric, value in (("images_per_second", speed), ("ms_per_step", 2.5), ("gpu_busy", 97.64))
    ]
    lines = steps_view({"rows": rows}).splitlines()
    assert [cell.strip() for cell in lines[2].split("|")[1:-1]] == ["plain", "18,000", "2.50", "97.6", ""]
    assert len(lines) == 4
