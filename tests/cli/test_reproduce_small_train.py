"""dimco reproduce small-train, as people ask for it."""

from __future__ import annotations

import json

import pytest

from dimco.cli.app import run
from dimco.experiments.fewshot.job import FewShotJob


@pytest.fixture
def study(monkeypatch):
    """The command without its trainings: gives the jobs that were asked for."""
    asked = []

    def execute(job: FewShotJob, *rest):
        asked.append(job)
        found = [
            {"shots": shots, "value": 20.0 + job.seed, "interval": 1.0, "episodes": 9, "validation": 30.0 + job.seed}
            for shots in (1, 5)
        ]
        record = {"job": job.as_record(), "accuracies": found, "validation": 30.0 + job.seed}
        return {**record, "steps": job.steps, "complete": True}

    monkeypatch.setattr("dimco.experiments.jobs.pool.execute", execute)
    return asked


def words(tmp_path, *more):
    return ["reproduce", "small-train", "--device", "cpu", "-o", str(tmp_path / "s.json"), *more]


def test_the_default_grid_is_the_papers_64_runs(study, tmp_path, capsys):
    assert run(words(tmp_path, "--json", "-q")) == 0
    found = json.loads(capsys.readouterr().out)
    assert len(study) == found["jobs"] == 64 * 13
    assert found["one_shot"]["dimco-infomax with 1"] == 20.0 + (63 + 62 + 61 + 60 + 59) / 5
    assert "triplet with 1" not in found["one_shot"]
    assert [name.rsplit("/", 1)[1] for name in found["plots"]] == ["s-sizes.png", "s-sizes.svg"]


def test_methods_that_cannot_train_with_one_image_say_so(study, tmp_path, capsys):
    assert run(words(tmp_path, "--runs", "1")) == 0
    said = capsys.readouterr().err
    for method in ("triplet", "npair", "protonet"):
        assert f"{method} cannot train with 1 image of a class: it needs a second image of a class" in said
    assert len(study) == 13


def test_the_number_of_steps_is_a_setting(study, tmp_path, capsys):
    assert run(words(tmp_path, "--grid", "quick", "--steps", "7", "-q")) == 0
    assert {job.steps for job in study} == {7}
    assert len(study) == 16 * 13
