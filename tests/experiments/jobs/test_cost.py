"""How long a job is expected to take."""

from __future__ import annotations

import pytest

from dimco.experiments.jobs.cost import CostModel, alone


def test_the_cost_grows_with_the_work(job):
    assert alone(job(steps=20_000)) > alone(job(steps=10_000)) > 0
    assert alone(job(backbone="resnet12", steps=20_000)) > alone(job(steps=20_000))
    assert CostModel(8).seconds(job()) > CostModel(1).seconds(job())


def test_the_cost_learns_from_what_jobs_took(job):
    cost = CostModel()
    before = cost.seconds(job(steps=20_000))
    for factor in (3.0, 3.2, 50.0):
        cost.learn(job(steps=10_000), factor * alone(job(steps=10_000)))
    assert cost.seconds(job(steps=20_000)) == pytest.approx(3.2 * before)
