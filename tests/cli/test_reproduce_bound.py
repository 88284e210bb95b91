"""dimco reproduce bound, as people ask for it."""

import json

import numpy as np
import pytest

from dimco.cli.app import run
from dimco.experiments.bound import run as module
from dimco.experiments.bound.run import Cell
from dimco.spec import CodeSpec


@pytest.fixture
def data_folder(tmp_path, rng, monkeypatch):
    monkeypatch.setenv("DIMCO_DATA", str(tmp_path))
    (tmp_path / "embeddings").mkdir()
    y = np.arange(240) % 12
    x = rng.normal(size=(12, 5))[y] + rng.normal(size=(240, 5))
    for part in ("train", "test"):
        np.savez(tmp_path / "embeddings" / f"cifar10_resnet20_{part}.npz", x=x, y=y)
    cells = (Cell(CodeSpec(2, 2), 20, 200), Cell(CodeSpec(2, 2), 3, 200))
    monkeypatch.setattr(module, "CELLS", cells)
    monkeypatch.setattr(module, "_FRESH_TASKS", 3)
    return tmp_path


def test_results_and_the_plot_are_written(data_folder, capsys):
    target = data_folder / "made" / "bound.json"
    command = ["reproduce", "bound", "--dataset", "cifar10", "--seeds", "1", "-o", str(target), "--json"]
    assert run(command) == 0
    captured = capsys.readouterr()
    stem = target.with_suffix("")
    assert json.loads(captured.out) == {
        "results": str(target),
        "rows": 4,
        "plots": [f"{stem}-gap.png", f"{stem}-gap.svg"],
    }
    assert "2x2 from 3 tasks of 200" in captured.err
