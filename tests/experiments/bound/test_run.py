"""The gap, measured on a small data set."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from dimco.experiments.bound import run as module
from dimco.experiments.bound.run import DELTA, WAYS, Cell, gap, run_bound
from dimco.experiments.compression.data import Embeddings
from dimco.fitting import FitSettings
from dimco.spec import CodeSpec
from dimco.theory import generalization_bound

CELL = Cell(CodeSpec(2, 2), 3, 40)


@pytest.fixture
def data(rng, monkeypatch):
    """Embeddings of 12 classes; codes are learned in few epochs and few tasks are fresh."""
    monkeypatch.setattr(module, "FitSettings", lambda **given: FitSettings(**given, epochs=3))
    monkeypatch.setattr(module, "_FRESH_TASKS", 4)
    y = np.arange(240) % 12
    x = (rng.normal(size=(12, 5))[y] + 0.3 * rng.normal(size=(240, 5))).astype(np.float32)
    return Embeddings("toy", "none", x, y, x, y, 12)


def test_the_gap_is_of_both_kinds_and_of_the_seed(data):
    found = gap(data, CELL, 0)
    assert set(found) == {"codeword", "positions"}
    assert found == gap(data, CELL, 0)
    assert found != gap(data, CELL, 1)
    for estimated, expected in found.values():
        assert 0 < expected < 2
        assert 0 < estimated <= 2 + 1e-6


def test_rows_hold_the_gap_beside_its_bound(data, tmp_path):
    said = []
    results = run_bound(data, range(2), tmp_path / "r.json", "dimco", [CELL, Cell(CodeSpec(16, 3), 2, 20)], said.append)
    assert json.loads((tmp_path / "r.json").read_text(encoding="utf-8")) == results
    assert [(row["k"], row["information"]) for row in results["rows"]] == [
        (2, "positions"),
        (2, "codeword"),
        (16, "positions"),
    ]
    row = results["rows"][1]
    gaps = [estimated - expected for estimated, expected in (gap(data, CELL, seed)["codeword"] for seed in range(2))]
    assert row["value"] == pytest.approx(np.mean(gaps), abs=1e-4)
    assert row["spread"] == pytest.approx(np.std(gaps, ddof=1), abs=1e-4)
    assert row["value"] == pytest.approx(row["estimated"] - row["expected"], abs=2e-4)
    bound = generalization_bound(3, 40, 2, 2, WAYS, 1, DELTA)
    assert row["bound"] == pytest.approx(bound.total / math.log(2), abs=1e-4)
    assert abs(row["value"]) < row["bound"]
    assert said[0].startswith("2x2 from 3 tasks of 40: positions ")
