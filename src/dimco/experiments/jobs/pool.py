"""Running jobs: in this process, or in several that take them from one queue."""

from __future__ import annotations

import gc
import multiprocessing
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

import torch

from dimco.experiments.fewshot.job import FewShotJob
from dimco.experiments.fewshot.measure import Protocol
from dimco.experiments.jobs.cost import CostModel
from dimco.experiments.jobs.execute import execute
from dimco.experiments.jobs.queue import JobQueue
from dimco.experiments.jobs.store import JobsFile

Say = Callable[[str], None]

_LONGEST_WAIT = 5.0


@dataclass(frozen=True)
class Workplace:
    """What every job of a run needs.

    Attributes
    ----------
    root : Path or None
        Where the data sets are.
    device : str
    protocol : Protocol
    reserve : float
        Seconds before the end of the time at which trainings are stopped, so that what they learned is measured.
    models : Path or None
        Folder for classifiers that several jobs begin with.
    """

    root: Path | None
    device: str
    protocol: Protocol
    reserve: float = 25.0
    models: Path | None = None


def run_queue(queue: JobQueue, cost: CostModel, place: Workplace, file: JobsFile, parallel: int, say: Say) -> list[str]:
    """Run what fits into the time; give a line for each job that failed.

    Parameters
    ----------
    queue : JobQueue
    cost : CostModel
        Learns how long jobs take.
    place : Workplace
    file : JobsFile
        Gets the record of each job as it finishes.
    parallel : int
        Processes; with 1, jobs run in this one.
    say : callable
        Called with a line for each start and end.
    """
    run = _Run(queue, cost, place, file, say)
    if parallel == 1:
        run.here()
    else:
        run.in_processes(parallel)
    for job in queue.waiting:
        say(f"not started, no time: {job.title}")
    return run.failures


class _Run:
    def __init__(self, queue: JobQueue, cost: CostModel, place: Workplace, file: JobsFile, say: Say) -> None:
        self.queue, self.cost, self.place, self.file, self.say = queue, cost, place, file, say
        self.failures: list[str] = []
        self.deadline = None if queue.end is None else queue.end - place.reserve

    def here(self) -> None:
        while (job := self._next()) is not None:
            start = time.monotonic()
            self._finish(job, *attempt(job, self.place, self.deadline), time.monotonic() - start)

    def in_processes(self, parallel: int) -> None:
        context = multiprocessing.get_context("spawn")
        workers = [_Worker(context, self.place) for _ in range(parallel)]
        try:
            for worker in workers:
                worker.start(self._next(), self.deadline)
            while busy := [worker for worker in workers if worker.job is not None]:
                if self.queue.left <= 0:
                    for worker in busy:
                        self.failures.append(f"{worker.job.title}: out of time")
                        self.say(f"stopped, out of time: {worker.job.title}")
                    break
                timeout = min(_LONGEST_WAIT, max(0.0, self.queue.left))
                ready = wait([worker.connection for worker in busy], timeout)
                for worker in busy:
                    if worker.connection in ready:
                        job, seconds = worker.job, time.monotonic() - worker.since
                        self._finish(job, *worker.answer(), seconds)
                        worker.start(self._next(), self.deadline)
        finally:
            for worker in workers:
                worker.stop()

    def _next(self) -> FewShotJob | None:
        job = self.queue.take()
        if job is not None:
            self.say(f"start {job.title}, about {self.cost.seconds(job):.0f} s")
        return job

    def _finish(self, job: FewShotJob, record: dict[str, Any] | None, error: str, seconds: float) -> None:
        if record is None:
            self.failures.append(f"{job.title}: {error.strip().splitlines()[-1]}")
            self.say(f"FAILED {job.title}\n{error.rstrip()}")
            return
        self.file.add(record)
        if record["complete"]:
            self.cost.learn(job, seconds)
        self.say(f"done {job.title} in {seconds:.0f} s: {summary(record)}")


def attempt(job: FewShotJob, place: Workplace, deadline: float | None) -> tuple[dict[str, Any] | None, str]:
    """The record of a job, or None and why there is none; an error in one job is not the end of the others."""
    device = torch.device(place.device)
    try:
        return execute(job, place.root, device, place.protocol, deadline, place.models), ""
    except Exception:
        return None, traceback.format_exc()
    finally:
        gc.collect()
        if device.type == "cuda":
            torch.cuda.empty_cache()


def summary(record: dict[str, Any]) -> str:
    """What a line can say of a record."""
    parts = [f"{record['steps']} steps" + ("" if record["complete"] else ", cut short")]
    if record.get("images_per_second"):
        parts.append(f"{record['images_per_second']:,} images/s")
    if record.get("gpu_busy_percent") is not None:
        parts.append(f"GPU {record['gpu_busy_percent']} % busy")
    if record.get("not_captured"):
        parts.append(f"plain steps ({record['not_captured']})")
    for found in record.get("accuracies", []):
        parts.append(f"{found['shots']}-shot {found.get('rule', '')} {found['value']:.2f}".replace("  ", " "))
    if record.get("validation") is not None:
        parts.append(f"validation {record['validation']:.2f}")
    if record.get("points"):
        last = record["points"][-1]
        parts += [f"{name} {value:.2f}" for name, value in last.items() if name not in ("epoch", "step")]
    return ", ".join(parts)


class _Worker:
    """A process that runs one job after the other."""

    def __init__(self, context: Any, place: Workplace) -> None:
        self._context, self._place = context, place
        self.job: Any = None
        self.since = 0.0
        self._begin()

    def start(self, job: FewShotJob | None, deadline: float | None) -> None:
        self.job, self.since = job, time.monotonic()
        if job is not None:
            self.connection.send((job, deadline))

    def answer(self) -> tuple[dict[str, Any] | None, str]:
        """What became of the job; a process that has died is replaced by another."""
        try:
            record, error = self.connection.recv()
        except (EOFError, OSError):
            self._process.join()
            code = self._process.exitcode
            self.connection.close()
            self._begin()
            return None, f"its process ended with code {code}"
        return record, error

    def stop(self) -> None:
        self._process.terminate()
        self._process.join()
        self.connection.close()

    def _begin(self) -> None:
        self.connection, theirs = self._context.Pipe()
        self._process = self._context.Process(target=_serve, args=(theirs, self._place), daemon=True)
        self._process.start()
        theirs.close()


def _serve(connection: Connection, place: Workplace) -> None:
    """Run jobs until the other side is gone."""
    while True:
        try:
            job, deadline = connection.recv()
        except EOFError:
            return
        connection.send(attempt(job, place, deadline))
