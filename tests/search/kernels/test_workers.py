import signal
import threading
import time

import pytest

from dimco.search.kernels.workers import Stop, StoppedError, run_jobs, usable_cores


def dimco_threads():
    return [thread for thread in threading.enumerate() if thread.name == "dimco-search"]


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_come_in_the_order_of_the_jobs(threads):
    def run(job, stop):
        time.sleep(0.002 * (job % 3))
        return job * job

    assert run_jobs(run, range(20), threads) == [job * job for job in range(20)]
    assert not dimco_threads()


def test_so_many_threads_work_at_once_and_the_caller_is_one_of_them():
    together = threading.Barrier(3, timeout=10)
    seen = set()

    def run(job, stop):
        together.wait()
        seen.add(threading.current_thread())

    run_jobs(run, range(3), 3)
    assert len(seen) == 3
    assert threading.current_thread() in seen


@pytest.mark.parametrize("failing", ["the caller", "a helper"])
@pytest.mark.parametrize("error", [ValueError("no"), KeyboardInterrupt()])
def test_an_error_in_one_worker_stops_the_others_and_is_raised(failing, error):
    caller = threading.current_thread()
    together = threading.Barrier(2, timeout=10)

    def run(job, stop):
        together.wait()
        if (threading.current_thread() is caller) == (failing == "the caller"):
            raise error
        while True:
            stop.check()
            time.sleep(0.001)

    with pytest.raises(type(error)) as raised:
        run_jobs(run, range(2), 2)
    assert raised.value is error
    assert not dimco_threads()


def test_a_helper_whose_start_was_interrupted_is_waited_for(monkeypatch):
    start, timers = threading.Thread.start, []

    def interrupted(thread):
        if thread.name != "dimco-search":
            return start(thread)
        timers.append(threading.Timer(0.05, start, [thread]))
        timers[-1].start()
        raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_jobs(lambda job, stop: stop.check(), range(2), 2)
    for timer in timers:
        timer.join()
    assert len(timers) == 1
    assert not dimco_threads()


def test_an_interrupt_while_the_caller_waits_for_the_others_leaves_none_of_them():
    caller = threading.current_thread()
    together = threading.Barrier(2, timeout=10)

    def run(job, stop):
        together.wait()
        if threading.current_thread() is caller:
            threading.Timer(0.1, signal.pthread_kill, [caller.ident, signal.SIGINT]).start()
            return
        while True:
            stop.check()
            time.sleep(0.05)

    with pytest.raises(KeyboardInterrupt):
        run_jobs(run, range(2), 2)
    assert not dimco_threads()


def test_stop_raises_only_once_it_is_set():
    stop = Stop()
    stop.check()
    stop.set()
    with pytest.raises(StoppedError):
        stop.check()


def test_the_cores_of_this_process_are_counted():
    assert usable_cores() >= 1
