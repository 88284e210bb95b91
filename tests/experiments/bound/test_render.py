"""Tables and the plot of the bound experiment."""

from __future__ import annotations

import itertools

import pytest

from dimco.experiments.bound.render import codes_view, gap_figure, sizes_view, write_plot


def row(k, d, n, m, kind="codeword"):
    terms = {"tasks": 1.0, "samples": 20.0, "bias": 0.5, "trivial": 2.0}
    fields = {"k": k, "d": d, "bits": d * (k - 1).bit_length(), "n": n, "m": m, "information": kind, "terms": terms}
    return {**fields, "value": 0.25, "spread": 0.01, "estimated": 1.25, "expected": 1.0, "bound": 21.5}


@pytest.fixture
def results():
    rows = [row(4, 2, 20, 200), row(16, 2, 20, 200), row(4, 2, 20, 200, "positions"), row(16, 4, 20, 200, "positions")]
    rows += [row(k, 2, *size) for k, size in itertools.product((4, 16), ((80, 200), (5, 200), (20, 800)))]
    return {"dataset": "toy", "rows": rows}


def cells(table):
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()][2:]


def test_codes_are_those_of_one_size(results):
    table = cells(codes_view(results))
    assert [line[:2] for line in table] == [
        ["4x2", "whole codeword"],
        ["16x2", "whole codeword"],
        ["4x2", "sum over positions"],
        ["16x4", "sum over positions"],
    ]
    assert table[0][2:] == ["1.25", "1.00", "0.25 ± 0.01", "21.5", "1.00", "20.0", "0.50", "2.00", "86"]


def test_sizes_are_those_of_the_codes_measured_with_several(results):
    assert [line[:3] for line in cells(sizes_view(results))[:4]] == [
        ["4x2", "5", "200"],
        ["4x2", "20", "200"],
        ["4x2", "80", "200"],
        ["4x2", "20", "800"],
    ]


def test_the_plot_has_gaps_and_bounds(results, tmp_path):
    figure = gap_figure(results["rows"], "toy")
    codes, tasks, samples = figure.axes
    assert [list(line.get_ydata()) for line in codes.get_lines()] == [[0.25, 0.25], [21.5, 21.5]]
    assert list(tasks.get_lines()[0].get_xdata()) == ["5", "20", "80"]
    assert list(samples.get_lines()[0].get_xdata()) == ["200", "800"]
    assert [path.name for path in write_plot(results, tmp_path / "b")] == ["b-gap.png", "b-gap.svg"]
