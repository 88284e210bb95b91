"""The plots draw what was simulated and measured."""

import json

import pytest

from dimco.experiments.scale.plots import coarse_figure, latency_figure, write_plots
from dimco.experiments.scale.run import Plan, run_scale
from dimco.spec import CodeSpec

from .test_coarse_render import COARSE


@pytest.fixture
def results(figures, tmp_path):
    plan = Plan(codes=(CodeSpec(16, 16),), items=(10**9,), epochs=2, queries=10)
    return run_scale(figures, plan, tmp_path / "scale.json", "dimco reproduce scale", 0)


def test_latencies_have_a_line_a_way(results):
    (axes,) = latency_figure(results["rows"]).axes
    timed = [row for row in results["rows"] if row["cut"] == "time"]
    drawn = [list(line.get_ydata()) for line in axes.get_lines()[:3]]
    assert drawn == [[row["p50"], row["p99"], row["p99.9"]] for row in timed]


def test_recall_is_drawn_against_the_share_read():
    (axes,) = coarse_figure(COARSE["rows"]).axes
    lines = axes.get_lines()
    assert list(lines[0].get_xdata()) == [0.01, 0.04]
    assert list(lines[0].get_ydata()) == [0.5, 0.96]
    assert list(lines[1].get_xdata()) == [0.25]


def test_files_are_written_with_the_coarse_plot_where_there_are_figures(results, tmp_path):
    missing = tmp_path / "coarse.json"
    names = [path.name for path in write_plots(results, missing, tmp_path / "scale")]
    assert names == ["scale-latency.png", "scale-latency.svg"]
    missing.write_text(json.dumps(COARSE))
    assert len(write_plots(results, missing, tmp_path / "scale")) == 4
