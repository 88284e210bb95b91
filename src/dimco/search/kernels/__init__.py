"""The kernels that scan codes, and the choice among them: all give the same ids and the same scores."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dimco.errors import InputError
from dimco.search.kernels import native
from dimco.search.kernels.workers import usable_cores
from dimco.search.layout import BLOCK, Layout
from dimco.search.scan import ScanSegment


def available_kernels() -> tuple[str, ...]:
    """Names of the kernels this machine can run, best first."""
    return (*native.usable_kernels(), "torch")


def scan(
    layout: Layout,
    segments: Sequence[ScanSegment],
    tables: NDArray[np.float32],
    n: int,
    *,
    kernel: str | None = None,
    threads: int | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The n best items of all segments for each query, exactly (eq. 8).

    Parameters
    ----------
    layout : Layout
        How the codes lie in the segments.
    segments : sequence of ScanSegment
        What is searched; no id may occur twice.
    tables : ndarray of float32, shape (Q, d, k)
        What each symbol at each position adds to the score: finite or -inf.
    n : int
        How many items are wanted for each query.
    kernel : str, optional
        One of `available_kernels()`; the best of them if not given.
    threads : int, optional
        At most so many threads; as many as there are cores if not given. Small work is done on fewer.

    Returns
    -------
    ids : ndarray of int64, shape (Q, m)
        Highest score first, equal scores by the smaller id; m is the smaller of n and the items that may be returned.
    scores : ndarray of float64, shape (Q, m)
        Float64 sums in the order of positions: the same bits from every kernel and number of threads.
    """
    kernel = _choose(kernel)
    if threads is not None and threads < 1:
        raise InputError(f"expected at least 1 thread; got {threads}")
    _check(layout, segments, tables)
    n = min(n, sum(segment.rows for segment in segments))
    if n < 1 or len(tables) == 0:
        return np.empty((len(tables), 0), dtype=np.int64), np.empty((len(tables), 0), dtype=np.float64)
    if kernel == "torch":
        from dimco.search.kernels.torch_scan import scan_torch

        return scan_torch(layout, segments, tables, n)
    found = native.scan_native(kernel, layout, segments, tables, n, threads or usable_cores())
    return found.ids, found.scores


def _choose(kernel: str | None) -> str:
    available = available_kernels()
    if kernel is None:
        if available[0] == "torch":
            _say_that_native_is_missing()
        return available[0]
    if kernel not in available:
        raise InputError(f"expected a kernel of {', '.join(available)}; got {kernel!r}")
    return kernel


@functools.cache
def _say_that_native_is_missing() -> None:
    warnings.warn(
        "dimco's native scan is not there (installing dimco with a C++ compiler builds it); torch searches, slower",
        RuntimeWarning,
        stacklevel=5,
    )


def _check(layout: Layout, segments: Sequence[ScanSegment], tables: NDArray[np.float32]) -> None:
    """The native kernels trust these sizes."""
    spec = layout.spec
    if tables.ndim != 3 or tables.shape[1:] != (spec.d, spec.k):
        raise InputError(f"expected tables of shape (Q, {spec.d}, {spec.k}) for codes of {spec}; got {tables.shape}")
    check_segments(layout, segments)


def check_segments(layout: Layout, segments: Sequence[ScanSegment]) -> None:
    """Raise `InputError` unless every segment holds as much as it says."""
    spec = layout.spec
    for segment in segments:
        if segment.blocks.nbytes < layout.nbytes(segment.rows):
            raise InputError(
                f"expected {layout.nbytes(segment.rows)} bytes for {segment.rows} codes of {spec}; "
                f"got {segment.blocks.nbytes}"
            )
        if isinstance(segment.ids, np.ndarray) and segment.ids.shape != (segment.rows,):
            raise InputError(f"expected {segment.rows} ids; got shape {segment.ids.shape}")
        if segment.keep is not None and len(segment.keep) * BLOCK < segment.rows:
            raise InputError(f"expected a word for each {BLOCK} of {segment.rows} codes kept; got {len(segment.keep)}")
