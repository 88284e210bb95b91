"""The GPU machine's entry, on the CPU."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

from dimco.datasets.image_set import ImageSet
from dimco.experiments.fewshot.data import load_parts, training_preprocessing

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "train_fewshot.py"
SETTINGS = "+steps=6+classes=6+items=4+validations=1+shots=2+lr=0.02"


@pytest.fixture
def data(tmp_path):
    """A tiny "cifar-fs"."""
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(16), 20)
    pixels = (rng.integers(30, 226, (16, 3, 1, 1))[labels] + rng.integers(-25, 26, (320, 3, 16, 16))).astype(np.uint8)
    ImageSet(pixels, labels, tuple(f"c{n}" for n in range(16))).save(tmp_path / "cifar100.npy")
    (tmp_path / "splits").mkdir()
    for part, numbers in (("train", range(6)), ("val", range(6, 11)), ("test", range(11, 16))):
        (tmp_path / "splits" / f"cifar-fs_{part}.json").write_text(json.dumps([f"c{n}" for n in numbers]))
    load_parts.cache_clear()
    training_preprocessing.cache_clear()
    yield tmp_path
    load_parts.cache_clear()
    training_preprocessing.cache_clear()


@pytest.fixture
def train(data, monkeypatch, capsys):
    """Run the script; gives its exit code, what it printed, and the jobs in its file."""

    def train(jobs, *options):
        target = data / "out.json"
        words = ["train_fewshot.py", "--data", data, "--jobs", jobs, "--device", "cpu", "-o", target, *options]
        words += ["--validation-episodes", "3", "--test-episodes", "4"]
        monkeypatch.setattr(sys, "argv", [str(word) for word in words])
        with pytest.raises(SystemExit) as end:
            runpy.run_path(str(SCRIPT), run_name="__main__")
        done = json.loads(target.read_text())["jobs"] if target.exists() else []
        return end.value.code, capsys.readouterr(), done

    return train


def test_jobs_are_run_in_order_and_not_again(train):
    jobs = f"fewshot:cifar-fs:conv4:triplet{SETTINGS},pilot:cifar-fs:conv4:dimco-both{SETTINGS}+k=4+d=3"
    code, said, done = train(jobs)
    assert code == 0
    methods = [(record["job"]["experiment"], record["job"]["method"]) for record in done]
    assert methods[0] == ("fewshot", "triplet")
    assert set(methods[1:]) == {("pilot", "dimco-both")}
    assert said.out.splitlines()[-1].endswith("0 failed, 0 not started")
    again = train(jobs)
    assert "0 jobs on cpu" in again[1].out
    assert again[2] == done


def test_a_failing_job_is_told_and_the_exit_code_says_so(train):
    bad = f"fewshot:cifar-fs:conv4:npair{SETTINGS}+items=1+steps=1"
    code, said, done = train(f"{bad},fewshot:cifar-fs:conv4:triplet{SETTINGS}")
    assert code == 1
    assert [record["job"]["method"] for record in done] == ["triplet"]
    assert "failed: fewshot:cifar-fs:conv4:npair:seed0" in said.out


def test_steps_and_seeds_can_be_scaled(train):
    code, said, done = train(
        f"fewshot:cifar-fs:conv4:triplet{SETTINGS}", "--steps-scale", "2", "--seeds", "2", "--list"
    )
    assert (code, done) == (0, [])
    lines = [line.split() for line in said.out.splitlines()]
    assert [(line[2], line[-1].rsplit(":", 1)[1]) for line in lines] == [("12", "seed0"), ("12", "seed1")]


def test_nothing_is_started_without_time(train):
    code, said, done = train(f"fewshot:cifar-fs:conv4:triplet{SETTINGS}+steps=10000000", "--time-limit", "30")
    assert (code, done) == (0, [])
    assert "not started, no time" in said.out


def test_wrong_names_are_one_line(train):
    code, said, _ = train("magic")
    assert code == 2
    assert said.err.startswith("error: expected jobs as KIND")
