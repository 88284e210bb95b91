"""The order of jobs, and what fits into the time."""

from __future__ import annotations

from dimco.experiments.jobs.cost import CostModel
from dimco.experiments.jobs.queue import JobQueue


def test_selections_go_first_to_last_and_the_longest_of_one_first(job):
    short, long, other = job(steps=10_000), job(steps=90_000), job(method="r2d2", steps=50_000)
    queue = JobQueue([[short, long], [other, short]], CostModel())
    assert [queue.take() for _ in range(4)] == [long, short, other, None]


def test_what_does_not_fit_is_passed_over(job):
    short, long = job(steps=10), job(steps=10**9)
    queue = JobQueue([[long], [short]], CostModel(), time_limit=60)
    assert queue.take() == short
    assert queue.take() is None
    assert queue.waiting == [long]
    assert 0 < queue.left <= 60


def test_without_a_limit_everything_fits(job):
    queue = JobQueue([[job(steps=10**9)]], CostModel())
    assert queue.end is None
    assert queue.take() is not None
