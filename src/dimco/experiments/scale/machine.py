"""What one machine does, measured: scans of codes in memory, and reading a file that is not cached."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from dimco.errors import FileError
from dimco.experiments.search_bench.workload import log_softmax
from dimco.randomness import generator
from dimco.search.kernels import available_kernels, scan
from dimco.search.layout import BLOCK, Layout
from dimco.search.scan import ScanSegment
from dimco.spec import CodeSpec

NEIGHBOURS, ROUNDS, BATCH, BATCH_ROUNDS = 10, 100, 64, 10
_PIECE = 1 << 22


@dataclass(frozen=True)
class MachineFigures:
    """Measured figures.

    Parameters
    ----------
    scans : list of records
        Each of a code (k, d), threads and queries at once: bytes of the codes, seconds a query.
    file_bytes_a_second : float
    """

    scans: list[dict[str, Any]]
    file_bytes_a_second: float

    def bytes_a_second(self, spec: CodeSpec) -> float:
        """Codes scanned a second by a single query, on the number of threads that is faster."""
        rows = [row for row in self.scans if (row["k"], row["d"], row["queries"]) == (spec.k, spec.d, 1)]
        return max(float(row["bytes"] / row["seconds"]) for row in rows)


def measure_machine(specs: list[CodeSpec], size: int, folder: Path, say: Callable[[str], None]) -> MachineFigures:
    """Scan `size` bytes of uniform codes of each spec on one and two threads, and read as many from a file."""
    scans = []
    for spec in specs:
        for row in scan_rows(spec, size):
            scans.append(row)
            at_once = "alone" if row["queries"] == 1 else f"{row['queries']} at once"
            rate = row["bytes"] / row["seconds"] / 1e9
            say(f"{spec}, {row['threads']} threads, {at_once}: {1e3 * row['seconds']:.3g} ms a query, {rate:.3g} GB/s")
    read = file_bytes_a_second(size, folder)
    say(f"reading a file: {read / 1e9:.3g} GB/s")
    return MachineFigures(scans, read)


def scan_rows(spec: CodeSpec, size: int) -> list[dict[str, Any]]:
    """The fastest round and the spread of rounds, for single queries and for batches, on one and two threads."""
    layout, rng = Layout(spec), generator(0, f"scale {spec}")
    blocks = layout.empty(size // layout.block_bytes * BLOCK)
    for first in range(0, len(blocks), _PIECE):
        blocks[first : first + _PIECE] = _symbols(spec, min(_PIECE, len(blocks) - first), rng)
    segment = ScanSegment(blocks, len(blocks) // layout.block_bytes * BLOCK, 0)
    tables = log_softmax(rng.standard_normal((ROUNDS + 1 + BATCH, spec.d, spec.k), dtype=np.float32))
    rows = []
    for queries, rounds in ((1, ROUNDS), (BATCH, BATCH_ROUNDS)):
        for threads in (1, 2):
            times = []
            for number in range(rounds + 1):
                some = tables[number : number + queries]
                start = time.perf_counter()
                scan(layout, [segment], some, NEIGHBOURS, threads=threads)
                times.append((time.perf_counter() - start) / queries)
            measured = sorted(times[1:])
            rows.append(
                {
                    "k": spec.k,
                    "d": spec.d,
                    "bits": spec.bits,
                    "kernel": available_kernels()[0],
                    "threads": threads,
                    "queries": queries,
                    "items": segment.rows,
                    "bytes": blocks.nbytes,
                    "seconds": measured[0],
                    "median_seconds": float(np.median(measured)),
                }
            )
    return rows


def file_bytes_a_second(size: int, folder: Path) -> float:
    """Reading a file from its start to its end, after the system was asked to drop it from memory."""
    try:
        with TemporaryDirectory(dir=folder) as place:
            path = Path(place) / "shard"
            _write(path, size)
            return path.stat().st_size / _seconds_to_read(path)
    except OSError as error:
        raise FileError(f"cannot write {size:,} bytes to measure reading in {folder}: {error.strerror}") from error


def _write(path: Path, size: int) -> None:
    piece = np.random.default_rng(0).bytes(_PIECE)
    with path.open("wb") as file:
        for _ in range(max(1, size // _PIECE)):
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())


def _seconds_to_read(path: Path) -> float:
    with path.open("rb", buffering=0) as file:
        if hasattr(os, "posix_fadvise"):
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        buffer = bytearray(_PIECE)
        start = time.perf_counter()
        while file.readinto(buffer):
            pass
        return time.perf_counter() - start


def _symbols(spec: CodeSpec, count: int, rng: np.random.Generator) -> Any:
    """Random bytes of blocks: two symbols of up to 16 each, or one of up to 256, for a k that is a power of two."""
    drawn = np.frombuffer(rng.bytes(count), np.uint8)
    return drawn if spec.k == 16 else drawn & (spec.k - 1)
