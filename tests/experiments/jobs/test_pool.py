"""Running jobs one after the other, and in processes."""

from __future__ import annotations

import os
import time

import pytest

from dimco.experiments.fewshot.measure import Protocol
from dimco.experiments.jobs import pool
from dimco.experiments.jobs.cost import CostModel
from dimco.experiments.jobs.pool import Workplace, run_queue, summary
from dimco.experiments.jobs.queue import JobQueue
from dimco.experiments.jobs.store import JobsFile, read_records


@pytest.fixture
def runs(tmp_path, few_shot_root):
    """Run selections; gives the failures, the titles in the file, and the lines said."""

    def runs(*selections, parallel=1, limit=None, reserve=0.0):
        said, cost = [], CostModel()
        queue = JobQueue(selections, cost, limit)
        place = Workplace(few_shot_root, "cpu", Protocol(3, 4), reserve)
        failures = run_queue(queue, cost, place, JobsFile(tmp_path / "jobs.json", "c"), parallel, said.append)
        path = tmp_path / "jobs.json"
        done = [record["job"]["method"] for record in read_records(path)] if path.exists() else []
        return failures, done, said

    return runs


def test_a_job_that_fails_is_no_end_of_the_others(runs, job):
    too_many = job(images_a_class=50, method="triplet")
    failures, done, said = runs([too_many], [job()])
    assert done == ["protonet"]
    assert len(failures) == 1
    assert "expected at least 50 images of each class; the smallest has 20" in failures[0]
    assert any(line.startswith("FAILED fewshot:cifar-fs:conv4:triplet") and "Traceback" in line for line in said)


def test_no_job_is_started_that_would_not_end_in_time(runs, job):
    failures, done, said = runs([job(steps=10**8), job()], limit=60)
    assert (failures, done) == ([], ["protonet"])
    assert said[-1] == "not started, no time: fewshot:cifar-fs:conv4:protonet:seed0"


def test_a_training_ends_before_the_time_does(runs, job, monkeypatch):
    monkeypatch.setattr("dimco.experiments.jobs.cost.alone", lambda job: 1.0)
    start = time.monotonic()
    failures, done, said = runs([job(steps=10**5)], limit=33, reserve=32)
    assert time.monotonic() - start < 30
    assert (failures, done) == ([], ["protonet"])
    assert "cut short" in said[-1]


def test_processes_share_the_queue_and_outlive_a_failure(runs, job):
    jobs = [job(method=method) for method in ("protonet", "r2d2")]
    failures, done, said = runs([job(images_a_class=50, method="triplet"), *jobs], parallel=2)
    assert sorted(done) == ["protonet", "r2d2"]
    assert len(failures) == 1
    assert sum(line.startswith("done") for line in said) == 2


def test_a_process_that_dies_is_replaced(job):
    import multiprocessing

    context = multiprocessing.get_context("spawn")
    worker = pool._Worker(context, Workplace(None, "cpu", Protocol()))
    first = worker._process.pid
    worker.start(job(), None)
    os.kill(first, 9)
    record, error = worker.answer()
    assert record is None
    assert error == "its process ended with code -9"
    assert worker._process.pid != first
    worker.stop()


def test_a_line_says_what_a_job_gave(record):
    made = record(value=51.25) | {"images_per_second": 12_345, "gpu_busy_percent": 91.0, "complete": False}
    assert summary(made) == (
        "5 steps, cut short, 12,345 images/s, GPU 91.0 % busy, 1-shot 51.25, 5-shot 51.25, validation 51.25"
    )
