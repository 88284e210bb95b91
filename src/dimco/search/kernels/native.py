"""The native kernels: a small C++ library beside this file, called through ctypes."""

from __future__ import annotations

import ctypes
import functools
import itertools
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dimco.search.kernels.workers import Stop, run_jobs
from dimco.search.layout import Layout
from dimco.search.scan import ScanSegment

KERNELS = {"avx512": 2, "avx2": 1, "portable": 0}

_LIBRARY = "dimco_scan.dll" if sys.platform == "win32" else "dimco_scan.so"
_QUERIES_A_JOB = 128
_QUERIES_TOGETHER = 4  # that a small search passes over the codes once for
_BYTES_A_THREAD = 1 << 23
SMALL_SEARCH = 1 << 22  # lookups at most: some milliseconds, even if every item is scored exactly


class Found(NamedTuple):
    """What a search found, ids and scores of shape (Q, found), and how many items it scored exactly for that."""

    ids: NDArray[np.int64]
    scores: NDArray[np.float64]
    scored: int


class _Segment(ctypes.Structure):
    _fields_ = (
        ("blocks", ctypes.c_void_p),
        ("rows", ctypes.c_int64),
        ("ids", ctypes.c_void_p),
        ("first_id", ctypes.c_int64),
        ("keep", ctypes.c_void_p),
    )


class Described:
    """Segments as the library reads them, described once, so that a search of a few among thousands is quick to start.

    Parameters
    ----------
    segments : sequence of ScanSegment
    """

    def __init__(self, segments: Sequence[ScanSegment]) -> None:
        self._borrowed: list[Any] = []
        described = (_Segment * len(segments))(*[_describe(segment, self._borrowed) for segment in segments])
        self._array: NDArray[Any] = np.ndarray(len(segments), f"V{ctypes.sizeof(_Segment)}", memoryview(described))
        self._sizes = np.array([segment.blocks.nbytes for segment in segments], np.int64)

    def some(self, places: NDArray[np.int64]) -> Described:
        """Those at some places, in that order."""
        chosen = Described.__new__(Described)
        chosen._borrowed, chosen._array, chosen._sizes = self._borrowed, self._array[places], self._sizes[places]
        return chosen

    @property
    def nbytes(self) -> int:
        """Bytes of all blocks."""
        return int(self._sizes.sum())

    @property
    def address(self) -> int:
        """Where the descriptions start, one after another."""
        return _address(self._array)

    def __len__(self) -> int:
        return len(self._array)


@functools.cache
def library() -> ctypes.CDLL | None:
    """The library, or None where dimco was installed without it or the system cannot load it."""
    import dimco.search.kernels as package

    paths = [Path(folder) / _LIBRARY for folder in package.__path__]
    found = next((path for path in paths if path.is_file()), None)
    if found is None:
        return None
    try:
        loaded = ctypes.CDLL(str(found))
    except OSError:
        return None
    integer, pointer = ctypes.c_int64, ctypes.c_void_p
    for name, result, arguments in (
        ("kernel_usable", ctypes.c_int, (ctypes.c_int,)),
        ("search_new", pointer, (*[ctypes.c_int] * 3, pointer, integer, integer, pointer, *[integer] * 3)),
        ("search_floor", None, (pointer, ctypes.c_double)),
        ("search_step", ctypes.c_int, (pointer,)),
        ("search_found", integer, (pointer,)),
        ("search_results", None, (pointer, pointer, pointer)),
        ("search_scored", integer, (pointer,)),
        ("search_delete", None, (pointer,)),
        ("search_small", integer, (*[ctypes.c_int] * 3, pointer, integer, integer, pointer, integer, *[pointer] * 3)),
        ("place_usable", ctypes.c_int, (pointer,)),
        ("search_table", integer, (pointer, pointer, integer, pointer, pointer)),
    ):
        function = getattr(loaded, f"dimco_{name}")
        function.restype, function.argtypes = result, arguments
    return loaded


@functools.cache
def usable_kernels() -> tuple[str, ...]:
    """Names of the native kernels this machine can run, best first."""
    loaded = library()
    return () if loaded is None else tuple(name for name in KERNELS if loaded.dimco_kernel_usable(KERNELS[name]))


def scan_native(
    kernel: str,
    layout: Layout,
    segments: Sequence[ScanSegment] | Described,
    tables: NDArray[np.float32],
    n: int,
    threads: int,
    floor: float = -math.inf,
) -> Found:
    """The n best items for each table of shape (d, k), on at most so many threads.

    With a `floor`, for a single table, those of them that score as much: there may be fewer than n.
    """
    tables = np.require(tables, np.float32, ("C", "A"))
    if not isinstance(segments, Described) and floor == -math.inf:
        rows = sum(segment.rows for segment in segments)
        if rows * layout.spec.d <= SMALL_SEARCH:
            return _scan_small(kernel, layout, segments, tables, min(n, rows), threads)
    described = segments if isinstance(segments, Described) else Described(segments)
    size = described.nbytes * len(tables)
    jobs = plan(len(tables), max(1, min(threads, size // _BYTES_A_THREAD)))

    def run(job: Job, stop: Stop) -> Found:
        with _Search(kernel, layout, described, tables[job.first : job.last], n, job, floor) as search:
            return search.run(stop)

    return _merge(run_jobs(run, jobs.all, jobs.threads), jobs, n)


def _scan_small(
    kernel: str, layout: Layout, segments: Sequence[ScanSegment], tables: NDArray[np.float32], n: int, threads: int
) -> Found:
    """Calls of the library that are over before Python could interrupt them: one, or one for some queries each."""
    described = Described(segments)
    lookups = max(1, sum(segment.rows for segment in segments) * layout.spec.d)
    a_call = max(1, SMALL_SEARCH // lookups) * _QUERIES_TOGETHER
    chunks = -(-len(tables) // a_call)
    bounds = [len(tables) * chunk // chunks for chunk in range(chunks + 1)]
    jobs = [Job(first, last, 0, 1) for first, last in itertools.pairwise(bounds)]
    threads = max(1, min(threads, described.nbytes * len(tables) // _BYTES_A_THREAD))

    def run(job: Job, stop: Stop) -> Found:
        stop.check()
        return _small(kernel, layout, described, tables[job.first : job.last], n)

    return _merge(run_jobs(run, jobs, threads), Jobs(jobs, threads), n)


def _small(kernel: str, layout: Layout, described: Described, tables: NDArray[np.float32], n: int) -> Found:
    loaded = library()
    assert loaded is not None
    spec, queries = layout.spec, len(tables)
    ids, scores = np.empty(queries * n, dtype=np.int64), np.empty(queries * n, dtype=np.float64)
    scored = ctypes.c_int64()
    asked = (_address(tables), queries, n, described.address, len(described), _address(ids), _address(scores))
    found = loaded.dimco_search_small(KERNELS[kernel], spec.k, spec.d, *asked, ctypes.byref(scored))
    if found < 0:
        raise MemoryError("not enough memory for a search")
    shape = (queries, found)
    total = queries * found
    return Found(ids[:total].reshape(shape), scores[:total].reshape(shape), scored.value)


class Job(NamedTuple):
    """Queries first .. last - 1 on one part of every segment's rows."""

    first: int
    last: int
    part: int
    parts: int


class Jobs(NamedTuple):
    """The jobs of a search, all parts of the same queries together, and the threads to run them on."""

    all: list[Job]
    threads: int


def plan(queries: int, threads: int) -> Jobs:
    """Split a search: by rows while the queries are few, by queries when they are many."""
    few = queries < 8 * threads
    parts = threads if few else 1
    chunks = -(-queries // _QUERIES_A_JOB)
    if not few:
        chunks = -(-chunks // threads) * threads
    bounds = [queries * chunk // chunks for chunk in range(chunks + 1)]
    jobs = [Job(first, last, part, parts) for first, last in itertools.pairwise(bounds) for part in range(parts)]
    return Jobs(jobs, threads)


class _Search:
    """A search inside the library, from its start to its release."""

    def __init__(
        self,
        kernel: str,
        layout: Layout,
        segments: Described,
        tables: NDArray[np.float32],
        n: int,
        job: Job,
        floor: float,
    ) -> None:
        loaded = library()
        assert loaded is not None
        self._library = loaded
        self._queries = len(tables)
        self._borrowed = tables, segments
        spec = layout.spec
        self._handle = loaded.dimco_search_new(
            KERNELS[kernel],
            spec.k,
            spec.d,
            _address(tables),
            len(tables),
            n,
            segments.address,
            len(segments),
            *job[2:],
        )
        if not self._handle:
            raise MemoryError("not enough memory to start a search")
        if floor > -math.inf:
            loaded.dimco_search_floor(self._handle, floor)

    def run(self, stop: Stop) -> Found:
        """Work in pieces of some milliseconds; between them Python may interrupt."""
        while True:
            stop.check()
            state = self._library.dimco_search_step(self._handle)
            if state < 0:
                raise MemoryError("not enough memory to go on with a search")
            if state == 0:
                return self._found()

    def _found(self) -> Found:
        shape = (self._queries, self._library.dimco_search_found(self._handle))
        ids, scores = np.empty(shape, dtype=np.int64), np.empty(shape, dtype=np.float64)
        self._library.dimco_search_results(self._handle, _address(ids), _address(scores))
        return Found(ids, scores, self._library.dimco_search_scored(self._handle))

    def __enter__(self) -> _Search:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._library.dimco_search_delete(self._handle)


def _describe(segment: ScanSegment, borrowed: list[Any]) -> _Segment:
    """A segment as the library reads it; what it points to is kept alive by `borrowed`."""
    described = _Segment(blocks=_borrow(segment.blocks, np.uint8, borrowed), rows=segment.rows)
    if isinstance(segment.ids, np.ndarray):
        described.ids = _borrow(segment.ids, np.int64, borrowed)
    else:
        described.first_id = segment.ids
    if segment.keep is not None:
        described.keep = _borrow(segment.keep, np.uint64, borrowed)
    return described


def _borrow(array: NDArray[Any], dtype: type[np.generic], borrowed: list[Any]) -> int:
    plain = np.require(array, dtype, ("C", "A"))
    borrowed.append(plain)
    return _address(plain)


def _address(array: NDArray[Any]) -> int:
    """Where the array's memory starts; far quicker than ``array.ctypes.data``."""
    address: int = array.__array_interface__["data"][0]
    return address


def _merge(found: list[Found], jobs: Jobs, n: int) -> Found:
    """One answer of the jobs' answers: parts of the same queries side by side, then queries one below another."""
    parts = jobs.all[0].parts
    rows = [_best_of(found[start : start + parts], n) for start in range(0, len(found), parts)]
    if len(rows) == 1:
        return rows[0]
    return Found(
        np.concatenate([row.ids for row in rows]),
        np.concatenate([row.scores for row in rows]),
        sum(row.scored for row in rows),
    )


def _best_of(parts: list[Found], n: int) -> Found:
    if len(parts) == 1:
        return parts[0]
    ids = np.concatenate([part.ids for part in parts], axis=1)
    scores = np.concatenate([part.scores for part in parts], axis=1)
    best = np.lexsort((ids, -scores))[:, :n]
    return Found(
        np.take_along_axis(ids, best, axis=1),
        np.take_along_axis(scores, best, axis=1),
        sum(part.scored for part in parts),
    )
