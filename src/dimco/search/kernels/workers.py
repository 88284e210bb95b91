"""Jobs on a few threads that all stop when one of them fails or the caller is interrupted."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")

_MOMENT = 1.0


class Stop:
    """Asked between pieces of work whether to go on."""

    stopped = False

    def set(self) -> None:
        """Let every worker end at its next check."""
        self.stopped = True

    def check(self) -> None:
        """Raise in a worker that is to end; nobody sees it."""
        if self.stopped:
            raise StoppedError


class StoppedError(Exception):
    """Another worker failed, or the caller was interrupted."""


def usable_cores() -> int:
    """Cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run_jobs(run: Callable[[Job, Stop], Result], jobs: Sequence[Job], threads: int) -> list[Result]:
    """The results of `run` on every job, in their order; the calling thread is one of the workers.

    An exception in a worker, or an interrupt of the caller, ends the others at their next check and is raised here.
    """
    stop = Stop()
    if threads == 1 or len(jobs) == 1:
        return [run(job, stop) for job in jobs]
    waiting, lock = enumerate(jobs), threading.Lock()
    results: dict[int, Result] = {}
    errors: list[BaseException] = []

    def work() -> None:
        while True:
            with lock:
                place_and_job = next(waiting, None)
            if place_and_job is None:
                return
            place, job = place_and_job
            results[place] = run(job, stop)

    def help_out() -> None:
        try:
            work()
        except StoppedError:
            return
        except BaseException as error:
            errors.append(error)
            stop.set()

    helpers = [threading.Thread(target=help_out, name="dimco-search") for _ in range(min(threads, len(jobs)) - 1)]
    begun: list[threading.Thread] = []
    try:
        for helper in helpers:
            begun.append(helper)
            helper.start()
        work()
        for helper in helpers:
            helper.join()
    except StoppedError:
        pass
    except BaseException:
        stop.set()
        raise
    finally:
        for helper in begun:
            _wait_for(helper)
    if errors:
        raise errors[0]
    return [results[place] for place in range(len(jobs))]


def _wait_for(helper: threading.Thread) -> None:
    """Join a thread, also one whose start an interrupt cut short: it may run all the same, a moment later."""
    patience = time.monotonic() + _MOMENT
    while time.monotonic() < patience:
        try:
            helper.join()
            return
        except RuntimeError:
            time.sleep(1e-3)
