"""Accuracy against bits."""

import numpy as np
import pytest

from dimco.errors import InputError
from dimco.reports.accuracy_plot import _apart, accuracy_figure


def row(method, bits, value, metric="top1"):
    return {"method": method, "bits": bits, "value": value, "metric": metric}


ROWS = [
    row("float-knn", 2048, 97.5),
    *(row("pq", bits, value) for bits, value in ((16, 90.0), (4, 60.0), (64, 97.4))),
    *(row("dimco", bits, value) for bits, value in ((4, 95.0), (16, 97.0), (64, 97.6))),
    row("dimco", 4, 96.0),
    row("dimco", 8, 1.0, metric="nmi"),
    row("sq", 16, None),
]


@pytest.fixture
def axes():
    return accuracy_figure(ROWS, title="digits").axes[0]


def lines(axes):
    return [line.get_xydata().tolist() for line in axes.get_lines() if line.get_linestyle() == "-"]


def test_one_line_a_method_by_rising_bits_and_the_best_of_equals(axes):
    assert lines(axes) == [[[4, 60], [16, 90], [64, 97.4]], [[4, 96], [16, 97], [64, 97.6]]]


def test_bits_stand_on_a_log_axis_with_their_own_ticks(axes):
    assert axes.get_xscale() == "log"
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["4", "16", "64"]


def test_the_reference_is_a_dashed_level(axes):
    (dashed,) = [line for line in axes.get_lines() if line.get_linestyle() == "--"]
    assert set(dashed.get_ydata()) == {97.5}


def test_every_line_is_named_with_its_last_value(axes):
    assert sorted(text.get_text() for text in axes.texts) == ["dimco 97.6", "float-knn 97.5", "pq 97.4"]


def test_names_do_not_overlap_where_lines_end_together(assert_no_texts_overlap):
    many = [row(f"method-{i}", bits, 90 + 0.01 * i) for i in range(9) for bits in (4, 8)]
    assert_no_texts_overlap(accuracy_figure([*ROWS, *many], title="digits"))


def test_names_stay_inside_the_picture_where_many_lines_end_at_the_top():
    figure = accuracy_figure([row(f"method-{i}", bits, 40 * i**0.1 + bits) for i in range(1, 11) for bits in (4, 64)])
    figure.canvas.draw()
    for text in figure.axes[0].texts:
        box = text.get_window_extent()
        assert figure.bbox.y0 <= box.y0
        assert box.y1 <= figure.bbox.y1


def test_ten_methods_look_different():
    many = [row(f"method-{i}", 8, 50 + i) for i in range(10)]
    drawn = accuracy_figure(many).axes[0].get_lines()
    assert len({(line.get_color(), line.get_marker()) for line in drawn}) == 10


def test_labels_move_apart_about_their_mean_and_keep_their_order(rng):
    heights = rng.uniform(size=8).tolist()
    moved = _apart(heights, 0.1)
    assert np.argsort(moved).tolist() == np.argsort(heights).tolist()
    assert np.diff(np.sort(moved)).min() > 0.1 - 1e-9
    assert np.mean(moved) == pytest.approx(np.mean(heights))
    assert _apart([0.1, 0.9, 0.5], 0.1) == [0.1, 0.9, 0.5]


def test_no_rows_of_the_metric_are_refused():
    with pytest.raises(InputError, match="metric 'map'"):
        accuracy_figure(ROWS, metric="map")
