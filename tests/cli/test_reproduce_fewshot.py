"""dimco reproduce fewshot, as people ask for it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from dimco.cli.app import run
from dimco.datasets.image_set import ImageSet
from dimco.experiments.fewshot.data import load_parts, training_preprocessing
from dimco.experiments.fewshot.measure import Protocol


@pytest.fixture
def words(tmp_path, monkeypatch):
    """What every command of a study is given: a tiny "cifar-fs", few tasks."""
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(22), 20)
    pixels = (rng.integers(30, 226, (22, 3, 1, 1))[labels] + rng.integers(-25, 26, (440, 3, 16, 16))).astype(np.uint8)
    ImageSet(pixels, labels, tuple(f"c{n}" for n in range(22))).save(tmp_path / "cifar100.npy")
    (tmp_path / "splits").mkdir()
    for part, numbers in (("train", range(12)), ("val", range(12, 17)), ("test", range(17, 22))):
        (tmp_path / "splits" / f"cifar-fs_{part}.json").write_text(json.dumps([f"c{n}" for n in numbers]))
    monkeypatch.setattr("dimco.experiments.fewshot.measure.Protocol", lambda: Protocol(3, 4))
    load_parts.cache_clear()
    training_preprocessing.cache_clear()
    yield ["--data", str(tmp_path), "--device", "cpu", "--steps", "2", "--quiet", "--json"]
    load_parts.cache_clear()
    training_preprocessing.cache_clear()


def test_cells_are_trained_once(words, tmp_path, capsys):
    target = tmp_path / "made" / "r.json"
    command = ["reproduce", "fewshot", "--methods", "protonet", "-o", str(target), *words]
    assert run(command) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["results"], found["jobs"]) == (str(target), 2)
    assert set(found["accuracy"]) == {"protonet 5way1shot", "protonet 5way5shot"}
    content = json.loads(target.read_text())
    assert content["experiment"] == "fewshot"
    assert len(content["rows"]) == 2
    assert run(command) == 0
    assert json.loads(target.read_text())["jobs"] == content["jobs"]


def test_codes_show_the_papers_rule_and_the_aggregated_one(words, tmp_path, capsys):
    command = ["reproduce", "fewshot", "--methods", "dimco-decoder", "--codes", "64x64", "-o", str(tmp_path / "r.json")]
    assert run([*command, *words]) == 0
    found = json.loads(capsys.readouterr().out)["accuracy"]
    assert sum(" nearest 5way" in name for name in found) == 2
    assert len(found) == 4


def test_wrong_names_are_one_line(words, error_of):
    code, line = error_of("reproduce", "fewshot", "--methods", "magic", *words)
    assert (code, line) == (2, line)
    assert line.startswith("error: expected methods of dimco-infomax, ")
    code, line = error_of("reproduce", "fewshot", "--codes", "2x2", *words)
    assert (code, line) == (2, "error: expected codes of 64x64, 64x128; got 2x2")


def test_a_failing_job_is_a_failure(words, tmp_path, error_of):
    (tmp_path / "cifar100.labels.npy").unlink()
    code, line = error_of("reproduce", "fewshot", "--methods", "triplet", "-o", tmp_path / "r.json", *words)
    assert code == 1
    assert "1 of 1 jobs failed: fewshot:cifar-fs:conv4:triplet:seed0" in line
