"""The GPU machine's entry for retrieval, on the CPU, and what becomes of its file."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

from dimco.experiments.retrieval.collect import main

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "train_retrieval.py"
SETTINGS = "+epochs=2+batch_size=32+classes_a_batch=8"


@pytest.fixture
def train(tmp_path, monkeypatch, capsys):
    """Run the script on features of twelve classes; gives its exit code, what it printed, and its file."""
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(12), 10)
    np.save(tmp_path / "cub.npy", (rng.normal(size=(12, 16))[labels] + rng.normal(size=(120, 16))).astype(np.float32))
    np.save(tmp_path / "cub.labels.npy", labels)
    (tmp_path / "cub.classes.json").write_text(json.dumps([f"c{n}" for n in range(12)]))

    def train(jobs):
        target = tmp_path / "raw.json"
        words = ["train_retrieval.py", "--data", tmp_path, "--jobs", jobs, "--device", "cpu", "-o", target]
        monkeypatch.setattr(sys, "argv", [str(word) for word in words])
        with pytest.raises(SystemExit) as end:
            runpy.run_path(str(SCRIPT), run_name="__main__")
        return end.value.code, capsys.readouterr(), target

    return train


def test_what_is_trained_becomes_rows(train, tmp_path, capsys):
    ours, loss = f"cub:dimco-infomax:{{}}{SETTINGS}+codes=4x4;2x8", f"cub:triplet:final{SETTINGS}"
    jobs = [ours.format("select"), f"{ours.format('final')}+stop=best", loss]
    code, _, raw = train(",".join(jobs))
    assert code == 0
    assert main([str(raw), "--into", str(tmp_path)]) == 0
    rows = json.loads((tmp_path / "retrieval.json").read_text())["rows"]
    found = {(row["method"], row["k"], row["d"]) for row in rows if row["metric"] == "recall@1"}
    assert {("dimco-infomax", 4, 4), ("dimco-infomax", 2, 8), ("triplet", None, None)} <= found
    assert all(row["held_out"] is not None for row in rows if row["method"] == "dimco-infomax")


def test_a_failing_training_and_a_wrong_file_have_codes_of_their_own(train, tmp_path):
    code, said, raw = train("cub:magic:final")
    assert code == 1
    assert "expected a method of dimco-infomax" in said.out
    raw.write_text("[]")
    code, said, _ = train(f"cub:triplet:final{SETTINGS}")
    assert code == 2
    assert said.err.startswith("error: ")
