"""The table and the plot of the study of small training sets."""

from __future__ import annotations

import pytest

from dimco.experiments.small_train.render import sizes_figure, small_train_view, write_plot


def row(method, images, metric, value):
    return {
        "method": method,
        "images_a_class": images,
        "metric": metric,
        "value": value,
        "spread": 0.5,
        "runs": 16,
        "best_of": 5,
    }


@pytest.fixture
def rows():
    made = [row("dimco-infomax", size, f"5way{s}shot", 30.0 + size + s) for size in (1, 4) for s in (1, 5)]
    made.append({"method": "triplet", "images_a_class": 1, "metric": "cannot", "value": None, "reason": "needs two"})
    return [*made, row("triplet", 4, "5way1shot", 33.0)]


def test_a_row_a_method_and_a_column_a_size(rows):
    lines = [[c.strip() for c in line.strip("|").split("|")] for line in small_train_view({"rows": rows}).splitlines()]
    assert lines[0] == ["tasks", "method", "1 image a class", "4 images a class"]
    assert lines[2] == ["5-way 1-shot", "dimco-infomax", "32.00 ± 0.50", "35.00 ± 0.50"]
    assert lines[3] == ["5-way 1-shot", "triplet", "cannot", "33.00 ± 0.50"]
    assert lines[-1] == ["Best 5 of 16 runs in each cell. With one image: triplet needs two."]


def test_before_a_measurement_the_table_says_so(tmp_path):
    assert small_train_view({"rows": []}) == "Not measured yet."
    assert write_plot({"rows": []}, tmp_path / "s") == []


def test_the_plot_has_a_line_a_method(rows, tmp_path):
    figure = sizes_figure(rows)
    drawn = {line.get_label(): list(line.get_ydata()) for line in figure.axes[0].get_lines()[:1]}
    assert list(figure.axes[0].containers[0][0].get_ydata()) == [32.0, 35.0]
    assert drawn
    assert [path.name for path in write_plot({"rows": rows}, tmp_path / "s")] == ["s-sizes.png", "s-sizes.svg"]
