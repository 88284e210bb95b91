"""Jobs that take no time, for what runs them."""

from __future__ import annotations

import pytest

from dimco.experiments.fewshot.job import FewShotJob


@pytest.fixture
def job():
    """A job of the tiny data set; settings may be changed."""

    def job(method="protonet", **changes):
        settings = {"steps": 5, "classes": 8, "items": 4, "shots": 2, "lr": 0.02, "validations": 1}
        return FewShotJob(dataset="cifar-fs", method=method, **{**settings, **changes})

    return job


@pytest.fixture
def record(job):
    """What a finished job leaves."""

    def record(value=50.0, **changes):
        found = [
            {"shots": shots, "value": value, "interval": 1.0, "episodes": 9, "validation": value} for shots in (1, 5)
        ]
        facts = {"bits": 2048, "accuracies": found, "validation": value, "steps": 5, "complete": True}
        return {"job": job(**changes).as_record(), **facts}

    return record
