"""Ctrl-C in a child process that searches for minutes: it ends within a moment, whatever it was doing."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

CHILD = textwrap.dedent(
    """
    import sys, threading, time
    import numpy as np
    from dimco import CodeSpec
    from dimco.search.kernels import native, scan
    from dimco.search.layout import Layout
    from dimco.search.scan import ScanSegment

    kernel, threads, queries, value = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
    layout, rows = Layout(CodeSpec(256, 64)), 200_000
    segment = ScanSegment(np.zeros(layout.nbytes(rows), dtype=np.uint8), rows, 0)
    tables = np.broadcast_to(np.float32(value), (queries, 64, 256))
    print("searching", flush=True)
    try:
        while True:
            scan(layout, [segment] * 20, tables, 10, kernel=kernel, threads=threads)
    except KeyboardInterrupt:
        print("interrupted", threading.active_count(), flush=True)
        print(time.process_time(), flush=True)
    """
)


def cpu_seconds(process):
    """What a process has computed so far: on a busy machine, time passes without it."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the time that a process computed is read from /proc")
@pytest.mark.parametrize(
    ("kernel", "threads", "queries", "value"),
    [
        ("best", 1, 1, 0.0),
        ("best", 1, 300, 0.0),
        ("best", 2, 1, 0.0),
        ("best", 2, 300, 0.0),
        ("best", 1, 300, float("-inf")),
        ("portable", 2, 300, 0.0),
    ],
)
def test_an_interrupt_ends_a_search_at_once(kernel, threads, queries, value, native_library):
    from dimco.search.kernels import available_kernels

    name = available_kernels()[0] if kernel == "best" else kernel
    command = [sys.executable, "-c", CHILD, name, str(threads), str(queries), str(value)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        try:
            assert child.stdout.readline() == "searching\n"
            time.sleep(0.3)
            spent = cpu_seconds(child.pid)
            child.send_signal(signal.SIGINT)
            said, used, _ = child.communicate(timeout=60)[0].split("\n")
            assert said == "interrupted 1"
            assert float(used) - spent < 3
        finally:
            child.kill()
