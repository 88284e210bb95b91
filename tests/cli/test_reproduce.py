"""dimco reproduce: the paper's tables as people ask for them, on a small data set of their own."""

from __future__ import annotations

import json

import numpy as np
import pytest

from dimco.cli.app import run
from dimco.errors import MissingExtraError
from dimco.experiments.compression import run as grid_module
from dimco.spec import CodeSpec

COMMAND = ("reproduce", "compression")


@pytest.fixture
def given(tmp_path, rng, monkeypatch):
    """Options that name a data set of 3 classes, and grids of three small codes."""
    monkeypatch.setitem(grid_module.GRIDS, "paper", (CodeSpec(4, 2), CodeSpec(2, 4)))
    monkeypatch.setitem(grid_module.GRIDS, "rate", (CodeSpec(8, 1),))
    for name, n in (("train", 90), ("test", 30)):
        labels = np.arange(n) % 3
        np.savez(tmp_path / f"{name}.npz", x=4 * np.eye(3, 5)[labels] + rng.normal(size=(n, 5)), y=labels)
    return ["--dataset", "toy", "--train", str(tmp_path / "train.npz"), "--test", str(tmp_path / "test.npz")]


@pytest.fixture
def reproduce(capsys):
    """The result as JSON and what stood on standard error."""

    def reproduce(*options):
        capsys.readouterr()
        assert run([*COMMAND, *map(str, options), "--json"]) == 0
        captured = capsys.readouterr()
        return json.loads(captured.out), captured.err

    return reproduce


def test_results_and_plots_are_written_where_asked(given, reproduce, tmp_path):
    target = tmp_path / "made" / "toy.json"
    result, said = reproduce(*given, "--methods", "sq, pq", "--seeds", 2, "-o", target)
    assert (result["results"], result["cells"], result["skipped"]) == (str(target), 9, 0)
    assert result["plots"] == [
        str(target.parent / f"toy-{kind}") for kind in ("bits.png", "bits.svg", "heat.png", "heat.svg")
    ]
    assert {path.name for path in target.parent.iterdir()} == {
        "toy.json",
        *(p.rpartition("/")[2] for p in result["plots"]),
    }
    content = json.loads(target.read_text(encoding="utf-8"))
    assert content["dataset"] == "toy"
    assert content["command"].startswith("dimco")
    assert {cell["seed"] for cell in content["cells"]} == {0, 1}
    lines = said.splitlines()
    assert len(lines) == 8
    assert lines[0].startswith("1/8  sq 4x2 seed 0: ")


def test_a_second_run_measures_what_is_missing(given, reproduce, tmp_path):
    options = (*given, "-o", tmp_path / "r.json")
    reproduce(*options, "--methods", "sq", "--seeds", 1)
    before = (tmp_path / "r.json").read_bytes()
    _, said = reproduce(*options, "--methods", "sq", "--seeds", 1)
    assert said == ""
    assert (tmp_path / "r.json").read_bytes() == before
    result, said = reproduce(*options, "--methods", "sq", "--seeds", 1, "--seed", 5, "--grid", "rate")
    assert [line.partition(":")[0] for line in said.splitlines()] == ["1/1  sq 8x1 seed 5"]
    assert result["cells"] == 4


def test_without_an_output_results_go_to_their_folder(given, reproduce, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result, said = reproduce(*given, "--methods", "sq", "--seeds", 1, "--quiet")
    assert result["results"] == "results/compression-toy.json"
    assert (tmp_path / "results" / "compression-toy-heat.png").exists()
    assert said == ""


def test_people_get_a_table(given, capsys, tmp_path):
    assert run([*COMMAND, *given, "--methods", "sq", "--seeds", "1", "-o", str(tmp_path / "r.json"), "-q"]) == 0
    captured = capsys.readouterr()
    assert "cells" in captured.out
    assert captured.err == ""


def test_without_the_plots_extra_the_results_are_there(given, reproduce, tmp_path, monkeypatch):
    def missing(*_):
        raise MissingExtraError("matplotlib is not installed")

    monkeypatch.setattr("dimco.experiments.compression.render.write_plots", missing)
    result, said = reproduce(*given, "--methods", "sq", "--seeds", 1, "-o", tmp_path / "r.json")
    assert "plots" not in result
    assert "matplotlib is not installed" in said
    assert (tmp_path / "r.json").exists()


def test_methods_that_make_none_of_the_codes_leave_reasons_and_no_plots(given, reproduce, tmp_path):
    result, _ = reproduce(*given, "--methods", "itq", "--grid", "rate", "--seeds", 1, "-o", tmp_path / "r.json")
    assert (result["cells"], result["skipped"], result["plots"]) == (1, 1, [])


def test_wrong_use_exits_with_2_and_one_line(given, capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("DIMCO_DATA", str(tmp_path / "absent"))
    out = ["-o", str(tmp_path / "r.json")]
    cases = [
        ([*given, "--methods", "sq,magic,", *out], "expected methods of dimco-infomax"),
        ([*given, "--methods", "sq,magic", *out], "got magic"),
        ([*given[:4], *out], "expected --train and --test together; got one of them"),
        (["--dataset", "mnist", *out], "expected a data set of cifar10, cifar100, or --train and --test; got 'mnist'"),
        (["--dataset", "cifar10", *out], "expected the data folder at"),
        ([*given, "--grid", "all", *out], "all"),
        ([*given, "--seeds", "0", *out], "--seeds"),
    ]
    for options, message in cases:
        capsys.readouterr()
        assert run([*COMMAND, *options]) == 2, options
        (line,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error: ")]
        assert message in line
    assert not (tmp_path / "r.json").exists()


def test_failures_exit_with_1_and_one_line(given, capsys, tmp_path):
    (tmp_path / "bad.json").write_text("{", encoding="utf-8")
    for place, message in (("bad.json", "is not a results file"), ("bad.json/r.json", "cannot make the folder")):
        capsys.readouterr()
        assert run([*COMMAND, *given, "--methods", "sq", "-o", str(tmp_path / place)]) == 1
        (line,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error: ")]
        assert message in line
    assert (tmp_path / "bad.json").read_text(encoding="utf-8") == "{"


def test_help_shows_how(capsys):
    assert run([*COMMAND, "--help"]) == 0
    assert "Example: dimco reproduce compression" in " ".join(capsys.readouterr().out.split())
