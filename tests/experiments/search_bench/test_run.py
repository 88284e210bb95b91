"""Running: cells once each, the file whole after each, another machine's results untouched."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from dimco.errors import DamagedFileError, InputError
from dimco.experiments.search_bench import run as module
from dimco.experiments.search_bench.run import run_bench
from dimco.spec import CodeSpec


@pytest.fixture
def grid(plan):
    return replace(plan, methods=("dimco", "numpy"), specs=(CodeSpec(16, 4), CodeSpec(4, 4)), items=(100, 200))


def test_every_cell_is_measured_size_after_size(grid, tmp_path):
    seen = []
    results = run_bench(grid, tmp_path / "r.json", "dimco bench", on_cell=lambda *of: seen.append(of))
    assert [(cell["items"], cell["k"]) for cell in results["cells"]] == [(100, 16), (100, 4), (200, 16), (200, 4)]
    assert [(number, total) for _, number, total in seen] == [(1, 4), (2, 4), (3, 4), (4, 4)]
    stored = json.loads((tmp_path / "r.json").read_text())
    assert stored == results
    assert (stored["experiment"], stored["command"], stored["seed"]) == ("search", "dimco bench", 0)
    assert {"versions", "machine", "rows"} <= set(stored)


def test_what_is_there_is_not_measured_again(grid, tmp_path, monkeypatch):
    output = tmp_path / "r.json"
    run_bench(replace(grid, items=(100,)), output, "first")
    before = json.loads(output.read_text())["cells"]
    measured = []
    real = module.measure_cell
    monkeypatch.setattr(module, "measure_cell", lambda *of: measured.append(of[0].items) or real(*of))
    results = run_bench(grid, output, "second")
    assert measured == [200, 200]
    assert results["cells"][:2] == before
    again = output.read_bytes()
    assert run_bench(grid, output, "third") == results
    assert output.read_bytes() == again


def test_an_interrupted_run_keeps_its_cells(grid, tmp_path):
    def interrupt(cell, number, total):
        if number == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_bench(grid, tmp_path / "r.json", "cut", on_cell=interrupt)
    assert len(json.loads((tmp_path / "r.json").read_text())["cells"]) == 2


def test_ones_own_workload_is_a_cell_of_its_own(grid, workload, tmp_path):
    own = replace(workload, dataset="mine.index")
    results = run_bench(grid, tmp_path / "r.json", "mine", own)
    assert [cell["dataset"] for cell in results["cells"]] == ["mine.index"]


def test_another_machines_results_are_refused(grid, tmp_path):
    output = tmp_path / "r.json"
    run_bench(replace(grid, items=(100,)), output, "here")
    content = json.loads(output.read_text())
    content["machine"]["cores"] = 4_096
    output.write_text(json.dumps(content))
    with pytest.raises(InputError, match=r"expected results of this machine \(\d+\) in .*; it holds those of 4096"):
        run_bench(grid, output, "there")


@pytest.mark.parametrize("content", ["{", "[]", '{"machine": {}}', '{"machine": {}, "experiment": "x", "cells": []}'])
def test_other_files_are_not_written_over(grid, tmp_path, content):
    (tmp_path / "r.json").write_text(content)
    with pytest.raises(DamagedFileError, match="is not a results file of this experiment"):
        run_bench(grid, tmp_path / "r.json", "x")
    assert (tmp_path / "r.json").read_text() == content
