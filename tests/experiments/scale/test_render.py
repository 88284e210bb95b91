"""Tables of the scale experiment and of the coarse first stage."""

import pytest

from dimco.experiments.scale import render
from dimco.experiments.scale.run import Plan, run_scale
from dimco.spec import CodeSpec


def cells(table):
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line][2:]


def coarse_row(cells_of, probes, share, recall, ms, items=10**6):
    fields = {"dataset": "random", "k": 16, "d": 4, "items": items, "cells": cells_of, "probes": probes}
    return {**fields, "share": share, "recall@10": recall, "ms": ms}


COARSE = {
    "rows": [
        coarse_row("first", "plain", 1.0, 1.0, 0.5),
        coarse_row("first", None, 0.25, 1.0, 0.2),
        coarse_row("first", 1, 0.01, 0.5, 0.1),
        coarse_row("first", 4, 0.04, 0.96, 0.12),
        coarse_row("9 modes", "plain", 1.0, 1.0, 0.4),
        coarse_row("9 modes", None, 1.0, 1.0, 0.9),
        coarse_row("9 modes", 1, 0.1, 0.3, 0.1),
    ]
}


@pytest.fixture
def results(figures, tmp_path):
    plan = Plan(codes=(CodeSpec(16, 16), CodeSpec(64, 64)), items=(10**9, 10**11), epochs=2, queries=10)
    return run_scale(figures, plan, tmp_path / "scale.json", "dimco reproduce scale", 0)


def test_what_was_measured_has_a_row_a_scan_and_the_file(results):
    table = render.measured_view(results)
    assert cells(table)[0] == ["16x16", "1,000,000", "1 GB", "1", "one", "100.0", "200.0", "10.0"]
    assert table.endswith("Reading a file that is not in memory: 1.00 GB/s.")


def test_paper_has_one_row_a_collection_and_cut(results):
    rows = cells(render.paper_view(results))
    assert rows[0] == ["1 billion of 16x16", "8 GB", "16 GB of memory", "1", "8 GB", "400 ms", "68 s", "1 (exact)"]
    assert len(rows) == 8


def test_simulations_have_percentiles_and_refusals(results):
    rows = cells(render.simulated_view(results))
    assert [row[2] for row in rows[:3]] == ["1", "2", "2, hedged"]
    assert all(row[5].endswith("s") for row in rows)


def test_coarse_tables_have_time_and_share_beside_the_plain_scan():
    assert cells(render.coarse_exact_view(COARSE)) == [
        ["random", "16x4", "1,000,000", "0.4", "0.2 (25 %)", "0.9 (100 %)"]
    ]
    assert cells(render.coarse_limited_view(COARSE))[0][4:] == ["0.12 (4 %)", ""]


def test_names_for_people():
    assert render.size_name(8e12) == "8 TB"
    assert render.size_name(12) == "12 B"
    assert render.seconds_name(0.0123) == "12.3 ms"
    assert render.seconds_name(float("nan")) == ""
    assert render.collection_name({"items": 500, "k": 2, "d": 3}) == "500 of 2x3"
