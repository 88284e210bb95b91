"""dimco bound, as people type it."""

from __future__ import annotations

import json
import math

import pytest

from dimco.cli.app import run
from dimco.theory import generalization_bound


def test_the_terms_are_in_bits(capsys):
    assert run(["bound", "--k", "2", "--d", "4", "--n", "50", "--m", "20", "--count", "positions", "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    bound = generalization_bound(50, 20, 2, 4, 10, 100, 0.05, "positions")
    assert result["total_bits"] == pytest.approx(bound.total / math.log(2))
    assert result["samples_bits"] == pytest.approx(bound.samples / math.log(2))
    assert result["says_something"] is False


def test_what_is_infinite_is_null_in_json(capsys):
    assert run(["bound", "--d", "4000", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["total_bits"] is None
    assert run(["bound", "--d", "4000"]) == 0
    assert "inf" in capsys.readouterr().out


def test_a_picture_is_drawn_where_asked(capsys, tmp_path):
    assert run(["bound", "-o", str(tmp_path / "b"), "--json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["pictures"] == [str(tmp_path / "b.png"), str(tmp_path / "b.svg")]
    assert "drew" in captured.err
    assert (tmp_path / "b.png").exists()


def test_wrong_use_exits_with_2_and_one_line(capsys):
    for options, message in ((["--m", "2"], "expected m of at least 3; got 2"), (["--count", "all"], "--count")):
        capsys.readouterr()
        assert run(["bound", *options]) == 2
        (line,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error: ")]
        assert message in line
