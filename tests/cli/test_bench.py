"""dimco bench search, as people type it, on a grid small enough for a test."""

from __future__ import annotations

import json
import runpy
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from dimco.cli.app import run
from dimco.errors import MissingExtraError
from dimco.experiments.search_bench import plan
from dimco.experiments.search_bench.timing import Pace

SMALL = ("--codes", "16x4,4x3", "--items", "200,100", "--methods", "dimco, faiss-pq")


@pytest.fixture(autouse=True)
def _brief(monkeypatch):
    """Paces of an instant."""
    paces = {
        plan.SINGLE: Pace(2, 2, at_once=False, turn=0.01, total=0.02, least_rounds=1),
        plan.BATCH: Pace(2, 8, at_once=True, turn=0.01, total=0.02, least_rounds=1),
    }
    for name in ("FULL", "QUICK"):
        monkeypatch.setattr(plan, name, replace(getattr(plan, name), paces=paces))


def test_results_and_plots_are_written_where_asked(as_json, tmp_path):
    target = tmp_path / "made" / "s.json"
    result = as_json("bench", "search", *SMALL, "-o", target)
    assert (result["results"], result["cells"]) == (str(target), 4)
    assert {path.name for path in target.parent.iterdir()} == {
        "s.json", "s-time.png", "s-time.svg", "s-ratio.png", "s-ratio.svg",
    }  # fmt: skip
    content = json.loads(target.read_text(encoding="utf-8"))
    assert [(cell["items"], cell["k"]) for cell in content["cells"]] == [(100, 16), (100, 4), (200, 16), (200, 4)]
    assert {row["method"] for row in content["rows"]} == {"dimco", "faiss-pq", "floor"}
    assert {row["threads"] for row in content["rows"]} == {1, 2}


def test_each_cell_is_said_and_none_measured_twice(capsys, tmp_path):
    command = ["bench", "search", *SMALL, "-o", str(tmp_path / "s.json")]
    assert run(command) == 0
    lines = [line for line in capsys.readouterr().err.splitlines() if "items: dimco" in line]
    assert [line.split(" ")[0] for line in lines] == ["1/4", "2/4", "3/4", "4/4"]
    before = (tmp_path / "s.json").read_bytes()
    assert run([*command, "--quiet"]) == 0
    assert capsys.readouterr().err == ""
    assert (tmp_path / "s.json").read_bytes() == before


def test_quick_measures_little_and_goes_to_a_file_of_its_own(as_json, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = as_json("bench", "search", "--quick", "--methods", "dimco", "--threads", 1, "--items", "300")
    assert (result["results"], result["cells"]) == ("results/search-quick.json", 2)
    assert (tmp_path / "results" / "search-quick-time.png").exists()


def test_an_index_of_ones_own(trained, index, as_json, tmp_path):
    own = ("--index", index, "--model", trained / "model", "--queries", trained / "test.npz")
    as_json("bench", "search", *own, "--methods", "dimco,numpy", "--kernels", "torch", "-o", tmp_path / "s.json")
    (cell,) = json.loads((tmp_path / "s.json").read_text(encoding="utf-8"))["cells"]
    assert (cell["dataset"], cell["k"], cell["d"], cell["items"]) == ("codes.index", 4, 3, 300)
    assert {fact["method"] for fact in cell["facts"]} == {"dimco", "dimco-torch", "numpy"}
    assert all(fact["exactness"] == 1.0 for fact in cell["facts"] if "dimco" in fact["method"])


def test_without_the_plots_extra_the_results_are_there(as_json, tmp_path, monkeypatch):
    def missing(*_):
        raise MissingExtraError("matplotlib is not installed")

    monkeypatch.setattr("dimco.experiments.search_bench.plots.write_plots", missing)
    assert "plots" not in as_json("bench", "search", *SMALL, "-o", tmp_path / "s.json")


def test_the_script_is_the_command(tmp_path, monkeypatch):
    script = Path(__file__).parents[2] / "benchmarks" / "search.py"
    monkeypatch.setattr(sys, "argv", [str(script), *SMALL, "--quiet", "-o", str(tmp_path / "s.json")])
    with pytest.raises(SystemExit, match="0"):
        runpy.run_path(str(script), run_name="__main__")
    assert (tmp_path / "s.json").exists()


def test_wrong_use_exits_with_2_and_one_line(trained, index, error_of, tmp_path):
    out = ("-o", tmp_path / "s.json")
    cases = {
        ("--codes", "16by4"): 'expected a code such as "16x4"',
        ("--items", "0"): "expected numbers above 0 with commas between for --items; got '0'",
        ("--threads", "one"): "for --threads; got 'one'",
        ("--methods", "dimco,grep"): "expected methods of dimco, faiss-pq",
        ("--index", index): "expected --index, --model and --queries together; got 1 of them",
        ("--kernels", "abacus", *SMALL): "abacus",
        ("--index", index, "--model", trained / "other", "--queries", trained / "test.npz"): "expected a model of 4x3",
    }
    for arguments, message in cases.items():
        code, line = error_of("bench", "search", *arguments, *out)
        assert (code, message in line) == (2, True), line
