"""How the bound moves, as a picture."""

from __future__ import annotations

import math

import pytest

from dimco.reports.bound_plot import SWEEPS, bound_figure, sweep
from dimco.theory import COUNTS, generalization_bound

SETTING = {"n": 1000, "m": 100, "k": 4, "d": 2, "classes": 5, "vc_dimension": 3}


def test_a_sweep_moves_one_argument():
    for value, bound in sweep(SETTING, "k", 0.1, "bits"):
        assert bound == generalization_bound(**{**SETTING, "k": value}, delta=0.1, count="bits")


@pytest.mark.parametrize("count", COUNTS)
def test_a_panel_an_argument_without_overlaps(count, assert_no_texts_overlap):
    figure = bound_figure(SETTING, 0.05, count)
    assert len(figure.axes) == len(SWEEPS)
    lines = {line.get_label(): line for line in figure.axes[2].get_lines()}
    bound = generalization_bound(**{**SETTING, "m": 10_000}, count=count)
    assert lines["samples"].get_ydata()[3] == pytest.approx(bound.samples / math.log(2))
    figure.axes[0].set(yscale="linear")
    for axes in figure.axes:
        axes.tick_params(labelleft=False, labelbottom=False)
    assert_no_texts_overlap(figure)
