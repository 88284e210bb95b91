"""A cell: every method timed and judged."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dimco.errors import MissingExtraError
from dimco.experiments.search_bench import cell as module
from dimco.experiments.search_bench.cell import measure_cell
from dimco.experiments.search_bench.peers import PEERS


def test_all_methods_are_timed_in_both_ways_and_judged(workload, plan):
    cell = measure_cell(workload, replace(plan, kernels=("torch",)))
    assert (cell["dataset"], cell["k"], cell["d"], cell["items"], cell["bits"]) == ("random", 16, 4, 500, 16)
    timed = {(one["method"], one["threads"], one["mode"]) for one in cell["series"] if one["part"] is None}
    methods = {("dimco", 1), ("dimco", 2), ("dimco-torch", 1), *((name, 1) for name in PEERS)}
    assert timed == {(*one, mode) for one in methods for mode in ("single", "batch")} | {("floor", 1, "single")}
    assert {one["method"] for one in cell["series"] if one["part"] == "tables"} == {"faiss-pq", "faiss-pq-byte"}
    assert all(one["ms"] and min(one["ms"]) > 0 for one in cell["series"])
    facts = {(fact["method"], fact["threads"]): fact for fact in cell["facts"]}
    for ours in (("dimco", 1), ("dimco", 2), ("dimco-torch", 1)):
        assert (facts[ours]["exactness"], facts[ours]["checked"]) == (1.0, 6)
    assert facts["faiss-hnsw", 1]["recall"] > 0.9
    assert "exactness" not in facts["faiss-flat-l2", 1]
    assert cell["floor"]["bytes"] == 8 * 64 * 4 // 2
    assert cell["skipped"] == {}


def test_a_wrong_answer_is_not_exact(workload, plan, monkeypatch):
    monkeypatch.setattr(module, "exact_ids", lambda symbols, table, n: [0] * n)
    facts = measure_cell(workload, replace(plan, methods=("dimco",)))["facts"]
    assert facts[0]["exactness"] == 0.0


def test_what_is_not_installed_is_left_out_with_its_reason(workload, plan, monkeypatch):
    def missing(_):
        raise MissingExtraError("usearch is not installed")

    monkeypatch.setitem(PEERS, "usearch-exact", missing)
    cell = measure_cell(workload, replace(plan, methods=("dimco", "usearch-exact")))
    assert cell["skipped"] == {"usearch-exact": "usearch is not installed"}
    assert {fact["method"] for fact in cell["facts"]} == {"dimco"}


@pytest.mark.parametrize(("most", "checked"), [(10**9, 6), (8_000, 4), (1, 2)])
def test_large_cells_are_checked_with_fewer_queries(workload, plan, monkeypatch, most, checked):
    monkeypatch.setattr(module, "_MOST_GATHERED", most)
    assert measure_cell(workload, replace(plan, methods=("dimco",)))["facts"][0]["checked"] == checked
