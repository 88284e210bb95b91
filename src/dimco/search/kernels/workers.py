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

    def help_out(ended: threading.Event) -> None:
        try:
            work()
        except StoppedError:
            return
        except BaseException as error:
            errors.append(error)
            stop.set()
        finally:
            ended.set()

    helpers = [_Helper(help_out) for _ in range(min(threads, len(jobs)) - 1)]
    begun: list[_Helper] = []
    try:
        for helper in helpers:
            begun.append(helper)
            helper.start()
        work()
        for helper in helpers:
            helper.ended.wait()
    except StoppedError:
        pass
    except BaseException:
        stop.set()
        raise
    finally:
        for helper in begun:
            helper.wait()
    if errors:
        raise errors[0]
    return [results[place] for place in range(len(jobs))]


class _Helper(threading.Thread):
    """A thread that says when it has ended: a `join` that an interrupt cuts short may take it for ended before."""

    def __init__(self, target: Callable[[threading.Event], None]) -> None:
        self.ended = threading.Event()
        super().__init__(target=target, args=(self.ended,), name="dimco-search")

    def wait(self) -> None:
        """Until it has ended, also if an interrupt cut its start short: it may run all the same, a moment later."""
        patience = time.monotonic() + _MOMENT
        while self.ident is None and time.monotonic() < patience:
            time.sleep(1e-3)
        if self.ident is not None:
            self.ended.wait()
            self.join()
