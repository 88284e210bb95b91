"""The measurement of training speed, on the CPU with next to nothing."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

from dimco.training import EpochRecord

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "few_shot_training.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("few_shot_training", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_time_in_which_kernels_overlap_counts_once(script):
    spans = [(5, 9), (0, 2), (1, 3), (8, 8.5), (20, 21)]
    ticks = np.arange(0, 25, 0.125)
    slow = sum(any(start <= tick < stop for start, stop in spans) for tick in ticks) * 0.125
    assert script.covered(spans) == slow == 8
    assert script.covered([]) == 0


def test_speed_is_the_median_of_the_settled_epochs(script):
    seconds = [50.0, 9.0, 2.0, 4.0, 1.0]
    history = [EpochRecord(i + 1, 5, 0.1, {"total": 3.0 - i}, None, each) for i, each in enumerate(seconds)]
    rows = {row["metric"]: row["value"] for row in script.rows_of("plain", history, 0.5, steps=4)}
    assert rows["images_per_second"] == 4 * 100 / 2.0
    assert rows["ms_per_step"] == 500
    assert rows["gpu_busy"] == 25
    assert (rows["seconds_of_first_epoch"], rows["loss_of_first_epoch"], rows["loss_of_last_epoch"]) == (50, 3, -1)


def test_random_pixels_have_classes_of_equal_size(script):
    images = script.synthetic(classes=3, images=4, size=16, seed=1)
    assert images.pixels.shape == (12, 3, 16, 16)
    assert np.bincount(images.labels).tolist() == [4, 4, 4]
    assert np.ptp(images.pixels.reshape(12, 3, -1), axis=2).max() < 64


def test_a_run_writes_rows_with_what_made_them(script, tmp_path, capsys):
    file = tmp_path / "results.json"
    script.main(
        ["--size", "16", "--classes", "10", "--images", "10", "--k", "4", "--d", "3", "--epochs", "3", "-o", str(file)]
    )
    results = json.loads(file.read_text())
    assert results["experiment"] == "few-shot-training"
    assert results["command"].startswith("python benchmarks/few_shot_training.py --size 16")
    plain = {row["metric"]: row for row in results["rows"] if row["method"] == "plain"}
    assert plain["images_per_second"]["value"] > 0
    assert plain["images_per_second"]["backbone"] == "conv4"
    assert "images_per_second" in capsys.readouterr().out


def test_too_few_epochs_to_settle_are_refused(script, capsys):
    with pytest.raises(SystemExit):
        script.arguments(["--epochs", "2"])
    assert "expected more than 2 epochs; got 2" in capsys.readouterr().err
