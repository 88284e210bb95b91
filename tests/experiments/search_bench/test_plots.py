"""Pictures of results written by hand: all there, nothing over anything else."""

from __future__ import annotations

import matplotlib.image
import pytest

from dimco.experiments.search_bench.figures import Figures
from dimco.experiments.search_bench.plots import ratio_figure, time_figure, write_plots
from dimco.experiments.search_bench.rows import summarized


def test_both_pictures_are_written(results, tmp_path):
    written = write_plots(results, tmp_path / "search")
    assert [path.name for path in written] == [
        "search-time.png", "search-time.svg", "search-ratio.png", "search-ratio.svg",
    ]  # fmt: skip
    for path in written[::2]:
        assert matplotlib.image.imread(path).std() > 0.01


def test_nothing_measured_draws_nothing(tmp_path):
    assert write_plots({"rows": []}, tmp_path / "search") == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("draw", [time_figure, ratio_figure])
def test_no_texts_touch(cells, draw, count, assert_no_texts_overlap):
    assert_no_texts_overlap(draw(Figures({"rows": summarized(cells[:count])})))


def test_a_panel_a_code_and_a_line_a_method(results):
    axes = time_figure(Figures(results)).axes
    assert [one.get_title(loc="left") for one in axes] == ["16x16", "64x64"]
    ours = next(line for line in axes[0].lines if line.get_linewidth() > 2)
    assert ours.get_xdata().tolist() == [1_000, 1_000_000]
    assert ours.get_ydata().tolist() == [2.0, 1.0]


def test_bars_say_their_ratio(results):
    axes = ratio_figure(Figures(results)).axes[0]
    assert axes.get_title(loc="left") == "16x16, single"
    shown = dict(zip([label.get_text() for label in axes.get_yticklabels()], axes.texts, strict=True))
    assert shown["faiss-pq"].get_text() == "1"
    assert shown["faiss-hnsw *"].get_text() == "8"
