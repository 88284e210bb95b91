"""Figures of a machine that is easy to reckon with."""

import pytest

from dimco.experiments.scale.machine import MachineFigures


@pytest.fixture
def figures():
    """10 GB/s on one thread and 20 on two for 16x16, 8 and 5 for 64x64; files at 1 GB/s."""
    scans = [
        {"k": k, "d": k, "bits": 64, "threads": threads, "queries": queries, "items": 10**6, "bytes": 10**9}
        | {"seconds": seconds / (4 if queries > 1 else 1), "median_seconds": 2 * seconds}
        for k, threads, seconds in ((16, 1, 0.1), (16, 2, 0.05), (64, 1, 0.125), (64, 2, 0.2))
        for queries in (1, 64)
    ]
    return MachineFigures(scans, 1e9)
