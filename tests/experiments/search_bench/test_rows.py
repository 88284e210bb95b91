"""Flat rows from a cell written by hand."""

from __future__ import annotations

import pytest


def find(results, metric, method, items=1_000_000, k=64, **others):
    wanted = {"metric": metric, "method": method, "items": items, "k": k, "threads": 1, **others}
    (row,) = [row for row in results["rows"] if all(row[name] == value for name, value in wanted.items())]
    return row


def test_medians_and_quartiles(results):
    row = find(results, "ms_per_query", "dimco", mode="single")
    assert (row["value"], row["q25"], row["q75"], row["spread"]) == (4.0, 3.0, 5.0, 1.0)
    assert (row["rounds"], row["queries"], row["bits"], row["seeds"]) == (3, 1_000, 384, [0])


def test_the_ratio_to_the_floor_is_of_single_queries(results):
    assert find(results, "floor_ratio", "dimco")["value"] == 2.0
    assert find(results, "floor_ratio", "faiss-pq")["value"] == 4.0
    assert not [row for row in results["rows"] if row["metric"] == "floor_ratio" and row["mode"] != "single"]


@pytest.mark.parametrize(
    ("metric", "method", "value"),
    [("exactness", "dimco", 1.0), ("recall@10", "faiss-hnsw", 0.9), ("bytes_per_item", "numpy", 8.0)],
)
def test_facts_are_rows(results, metric, method, value):
    assert find(results, metric, method)["value"] == value


@pytest.mark.parametrize(("metric", "value"), [("ms_per_query", 8.0), ("tables_ms", 4.0)])
def test_tables_are_a_part_of_a_search(results, metric, value):
    assert find(results, metric, "faiss-pq", mode="single")["value"] == value


def test_rows_have_the_fields_of_all_results(results):
    for row in results["rows"]:
        assert {
            "dataset",
            "backbone",
            "method",
            "k",
            "d",
            "bits",
            "metric",
            "value",
            "spread",
            "seeds",
            "paper",
        } <= set(row)
