"""Goals beside figures written by hand."""

from __future__ import annotations

import pytest

from dimco.experiments.search_bench.figures import Figures
from dimco.experiments.search_bench.goals import GOALS, Goal


@pytest.mark.parametrize(
    ("goal", "text", "reached", "met"),
    [
        (
            Goal(64, 64, "single", "faiss-pq", 0.5),
            "0.5x faster than faiss-pq",
            1.0,
            True,
        ),  # (8 ms - 4 ms of tables) / 4 ms
        (Goal(64, 64, "single", "faiss-flat-l2", 8), "8x faster than faiss-flat-l2", 6.0, False),
        (Goal(64, 64, "batch", "faiss-flat-l2", 12), "12x faster than faiss-flat-l2", 12.0, True),
        (Goal(64, 64, "single", None, 2), "within 2x of the floor", 2.0, True),
        (Goal(64, 64, "single", None, 1.5), "within 1.5x of the floor", 2.0, False),
        (Goal(16, 16, "single", "faiss-fastscan", 1), "no slower than faiss-fastscan", 4.0, True),
        (Goal(64, 64, "batch", "dimco", 1.8), "two threads at least 1.8x faster than one", 2.0, True),
    ],
)
def test_what_was_reached(results, goal, text, reached, met):
    assert goal.text == text
    assert goal.measured(Figures(results)) == pytest.approx(reached)
    assert goal.met(reached) is met


def test_what_was_not_measured_is_not_reached(results):
    for goal in (
        Goal(128, 128, "single", None, 2),
        Goal(128, 128, "batch", "dimco", 2),
        Goal(2, 64, "single", "numpy", 1),
    ):
        assert goal.measured(Figures(results)) is None


def test_the_goals_are_those_of_the_table():
    assert len(set(GOALS)) == len(GOALS) == 10
