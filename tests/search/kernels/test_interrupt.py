"""Ctrl-C in a child process that searches for minutes: it ends within a moment, whatever it was doing."""

import signal
import subprocess
import sys
import textwrap
import time

import pytest

CHILD = textwrap.dedent(
    """
    import sys, threading
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
    """
)


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
            child.send_signal(signal.SIGINT)
            sent = time.monotonic()
            said, _ = child.communicate(timeout=30)
            assert said == "interrupted 1\n"
            assert time.monotonic() - sent < 3
        finally:
            child.kill()
