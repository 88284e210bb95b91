"""Tables of results written by hand, whole and in part."""

from __future__ import annotations

import pytest

from dimco.experiments.docs import VIEWS
from dimco.experiments.search_bench.render import (
    batch_view,
    cell_line,
    exactness_view,
    goals_view,
    gpu_view,
    ratio_view,
    scaling_view,
    single_view,
    size_view,
)

ALL = [batch_view, exactness_view, goals_view, ratio_view, scaling_view, single_view, size_view]


def line(table, start):
    """The cells of the one line that starts so."""
    (found,) = [text for text in table.splitlines() if text.startswith(f"| {start} ")]
    return [part.strip() for part in found.strip("|").split("|")]


def test_single_queries_have_medians_and_quartiles_and_the_floor(results):
    table = single_view(results)
    assert table.startswith("N = 1,000,000; ms a query, asked one at a time.\n\n| method")
    assert line(table, "method") == ["method", "16x16", "64x64"]
    assert line(table, "dimco") == ["dimco", "1 (0.75-1.25)", "4 (3-5)"]
    assert line(table, "dimco, 2 threads")[1] == "0.5 (0.5-0.5)"
    assert line(table, "floor")[1] == "0.5 (0.5-0.5)"


def test_a_smaller_batch_is_said(results):
    table = batch_view(results)
    assert line(table, "dimco")[1] == "1 (0.75-1.25)"
    assert line(table, "faiss-pq")[1] == "4 (4-4, 50 at once)"
    assert "| floor" not in table


def test_ratios_are_to_ours_without_the_tables_of_one_hot_centroids(results):
    table = ratio_view(results)
    assert line(table, "faiss-pq")[1] == "1 / 4"
    assert line(table, "faiss-pq-byte")[1] == "3 / 6"
    assert line(table, "dimco")[1] == "1 / 1"


def test_exactness_and_recall(results):
    table = exactness_view(results)
    assert line(table, "dimco")[1] == "100 %"
    assert line(table, "faiss-fastscan")[1] == "50 %"
    assert line(table, "faiss-hnsw")[1] == "recall 0.90"
    assert "faiss-flat" not in table


def test_sizes(results):
    assert line(size_view(results), "numpy")[1] == "8"


def test_scaling_has_every_size(results):
    table = scaling_view(results)
    assert line(table, "    1,000")[1:] == ["2 (2.00x)", ""]
    assert line(table, "1,000,000")[1:] == ["1 (2.00x)", "4 (2.00x)"]


def test_a_gpu_stands_beside_reading_its_memory_once():
    common = {"code": "16x16", "items": 1000, "neighbours": 10, "quartiles": [0.3, 0.5]}
    rows = [
        {**common, "method": "dimco-cuda", "queries": 1, "value": 0.4, "times_the_floor": 2.0},
        {**common, "method": "dimco-cuda", "queries": 64, "value": 0.3, "times_the_floor": 1.5},
    ]
    table = gpu_view({"rows": rows, "machine": {"accelerator": "a GPU"}})
    assert table.startswith("1,000 codes of 16x16, 10 neighbours, a GPU.\n\n")
    assert line(table, "dimco-cuda") == ["dimco-cuda", "0.400 (0.300-0.500)", "2.00x"]
    assert line(table, "dimco-cuda, 64 queries at once")[2] == "1.50x"


def test_goals_are_measured_or_said_not_to_be(results):
    lines = goals_view(results).splitlines()
    assert sum("not measured" in text for text in lines) == 3
    assert [part.strip() for part in lines[4].split("|")][1:-1] == [
        "64x64",
        "single",
        "within 2x of the floor",
        "2.00x",
        "yes",
    ]


@pytest.mark.parametrize("view", ALL)
def test_nothing_measured_renders_too(view):
    assert "| ---" in view({"rows": []})


@pytest.mark.parametrize("view", ALL)
def test_a_single_small_cell_renders_too(view, cells):
    from dimco.experiments.search_bench.rows import summarized

    assert "| ---" in view({"rows": summarized(cells[:1])})


def test_documents_can_ask_for_every_view():
    assert set(ALL) <= set(VIEWS.values())


def test_a_cell_in_a_line(cells):
    said = cell_line(cells[1])
    assert said.startswith("16x16, 1,000,000 items: dimco 1 ms, faiss-pq 1x, faiss-pq-byte 3x")
    assert "2 threads" not in said
