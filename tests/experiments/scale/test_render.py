"""Tables of the scale experiment."""

import pytest

from dimco.experiments.scale import render
from dimco.experiments.scale.run import Plan, run_scale
from dimco.spec import CodeSpec


def cells(table):
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line][2:]


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
    assert rows[0][:6] == ["1 billion of 16x16", "8 GB", "16 GB of memory", "1", "8 GB", "400 ms"]
    assert rows[0][6:] == ["400 ms", "100 ms", "68 s", "1 (exact)"]
    assert rows[-2][6:8] == ["800 s", "200 s"], "6.4 TB at 8 GB/s, and at 32 GB/s 64 at once"
    assert len(rows) == 8


def test_simulations_have_percentiles_and_refusals(results):
    rows = cells(render.simulated_view(results))
    assert [row[2] for row in rows[:3]] == ["1", "2", "2, hedged"]
    assert all(row[5].endswith("s") for row in rows)


def test_names_for_people():
    assert render.size_name(8e12) == "8 TB"
    assert render.size_name(12) == "12 B"
    assert render.seconds_name(0.0123) == "12.3 ms"
    assert render.seconds_name(float("nan")) == ""
    assert render.collection_name({"items": 500, "k": 2, "d": 3}) == "500 of 2x3"
