"""dimco reproduce correlation, as people ask for it."""

from __future__ import annotations

import json

import pytest

from dimco.cli.app import run
from dimco.experiments.correlation import plan
from dimco.experiments.fewshot.job import FewShotJob


@pytest.fixture
def study(monkeypatch):
    """The command without its trainings: gives the jobs that were asked for."""
    asked = []

    def execute(job: FewShotJob, *rest):
        asked.append(job)
        points = [
            {"epoch": e, "step": e, "5way1shot": 20.0 + e, "recall@1": 30.0 + e, "information_bits": 1.0 + job.seed * e}
            for e in (1, 2, 3)
        ]
        return {"job": job.as_record(), "points": points, "steps": job.steps, "complete": True}

    monkeypatch.setattr("dimco.experiments.jobs.pool.execute", execute)
    return asked


def test_results_and_the_plot_are_written(study, tmp_path, capsys):
    target = tmp_path / "correlation.json"
    words = ["reproduce", "correlation", "--runs", "2", "--device", "cpu", "-o", str(target), "--json", "-q"]
    assert run(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert [job.method for job in study[:4]] == list(plan.METHODS)
    assert (found["jobs"], len(study)) == (8, 8)
    assert set(found["pearson"]) == {
        f"{method} (information_bits, {other})" for method in plan.METHODS for other in ("recall@1", "5way1shot")
    }
    assert [name.rsplit("/", 1)[1] for name in found["plots"]] == ["correlation-pairs.png", "correlation-pairs.svg"]
    assert {row["metric"] for row in json.loads(target.read_text())["rows"]} == {
        "pearson(information_bits, recall@1)",
        "pearson(information_bits, 5way1shot)",
        "pearson(recall@1, 5way1shot)",
    }
