"""The measurement of the coarse first stage, with next to nothing."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest
from torch import nn

from dimco import CodeModel, CodeSpec, LinearHead
from dimco.search.coarse import CoarseNeighbours

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "coarse.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("coarse_benchmark", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_symbols_are_drawn_as_often_as_the_model_says(script, rng):
    spec = CodeSpec(4, 3)
    model = CodeModel(nn.Identity(), LinearHead(2, spec))
    x = np.ones((5, 2), np.float32)
    drawn = script.drawn_codes(model, x, 20_000)
    p = np.exp(model.log_probs(x[:1]).numpy()[0])
    for position in range(3):
        shares = np.bincount(drawn[:, position], minlength=4) / 20_000
        np.testing.assert_allclose(shares, p[position], atol=0.015)


def test_recall_counts_items_that_score_as_well_as_the_last_wanted(script):
    found = CoarseNeighbours(np.array([[1, 9, -1]]), np.array([[-1.0, -2.0, -np.inf]]), np.array([5]))
    exact = CoarseNeighbours(np.array([[1, 2, 3]]), np.array([[-1.0, -2.0, -2.0]]), np.array([5]))
    assert script.recall(found, exact) == pytest.approx(2 / 3)


def test_a_run_measures_random_codes_with_every_kind_of_cells(script, tmp_path, monkeypatch):
    monkeypatch.setattr(script, "ROUNDS", 1)
    monkeypatch.setattr(script, "QUERIES", 3)
    monkeypatch.setattr(script, "MODES", 8)
    monkeypatch.setattr("sys.argv", ["coarse.py", "--items", "3000", "-o", str(tmp_path / "coarse.json")])
    script.main()
    rows = json.loads((tmp_path / "coarse.json").read_text())["rows"]
    assert {row["cells"] for row in rows} == {"1 position", "2 positions", "3 positions", "8 modes"}
    for row in rows:
        assert 0 < row["share"] <= 1
        assert 0 <= row["recall@10"] <= 1
        assert row["probes"] not in (None, "plain") or row["recall@10"] == 1
