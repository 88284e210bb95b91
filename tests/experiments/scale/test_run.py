"""The whole experiment, small."""

import json

import pytest

from dimco.experiments.scale.run import WAYS, Plan, run_scale
from dimco.spec import CodeSpec

PLAN = Plan(codes=(CodeSpec(16, 16), CodeSpec(64, 64)), items=(10**9,), epochs=4, queries=30)


@pytest.fixture
def results(figures, tmp_path):
    return run_scale(figures, PLAN, tmp_path / "scale.json", "dimco reproduce scale", 0)


def test_every_collection_is_cut_both_ways_and_run_every_way(results, tmp_path):
    assert len(results["rows"]) == 2 * 2 * len(WAYS)
    assert json.loads((tmp_path / "scale.json").read_text())["rows"] == results["rows"]
    row = next(row for row in results["rows"] if row["k"] == 16 and row["cut"] == "time" and row["hedged"])
    assert (row["bytes"], row["shards"], row["machines"], row["recall"]) == (8 * 10**9, 4, 8, 1.0)
    assert row["scan_seconds"] <= row["p50"] <= row["p99"] <= row["p99.9"]
    assert row["away_seconds"] == pytest.approx(60 + 2)


def test_machines_are_as_busy_as_was_assumed(results):
    for row in results["rows"]:
        work = row["queries_per_second"] * row["scan_seconds"] / row["replicas"]
        assert work == pytest.approx(results["assumed"]["busy"], rel=0.02)


def test_the_same_seed_gives_the_same_latencies(results, figures, tmp_path):
    again = run_scale(figures, PLAN, tmp_path / "again.json", "dimco reproduce scale", 0)
    assert again["rows"] == results["rows"]
