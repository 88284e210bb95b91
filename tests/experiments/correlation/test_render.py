"""The table and the pairwise plot of the correlation study."""

from __future__ import annotations

import pytest

from dimco.experiments.correlation.measures import MEASURES
from dimco.experiments.correlation.render import correlation_view, last_view, pairs_figure, write_plot
from dimco.experiments.correlation.rows import correlation_rows, method_points
from dimco.experiments.fewshot.job import FewShotJob


@pytest.fixture
def results():
    jobs = []
    for number, method in enumerate(("dimco-infomax", "protonet")):
        job = FewShotJob("correlation", method=method, k=64, d=64)
        points = [{"epoch": e, "step": 9 * e, **dict.fromkeys(MEASURES, 10.0 * e + number)} for e in (1, 2)]
        jobs.append({"job": job.as_record(), "points": points})
    return {"rows": correlation_rows(jobs), "jobs": jobs}


def cells(table):
    return [
        [cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line.startswith("|")
    ]


def test_a_row_a_pair_and_a_column_a_method(results):
    heading, _, *lines = cells(correlation_view(results))
    assert heading == ["Pearson coefficient of", "dimco-infomax", "protonet"]
    assert len(lines) == 10
    assert lines[0] == ["information_bits and recall@1", "1.00", "1.00"]
    assert "points: dimco-infomax 2, protonet 2." in correlation_view(results)


def test_measures_after_the_last_epoch(results):
    assert cells(last_view(results))[2:] == [
        ["dimco-infomax", "1", "2", *["20.00"] * 5],
        ["protonet", "1", "2", *["21.00"] * 5],
    ]


def test_before_a_measurement_the_tables_say_so(tmp_path):
    empty = {"rows": [], "jobs": []}
    assert correlation_view(empty) == last_view(empty) == "Not measured yet."
    assert write_plot(empty, tmp_path / "c") == []


def test_the_plot_has_every_pair_and_every_point(results, tmp_path):
    figure = pairs_figure(method_points(results["jobs"]))
    assert len(figure.axes) == 10
    offsets = figure.axes[0].collections[1].get_offsets()
    assert offsets.tolist() == [[11.0, 11.0], [21.0, 21.0]]
    assert [path.name for path in write_plot(results, tmp_path / "c")] == ["c-pairs.png", "c-pairs.svg"]
