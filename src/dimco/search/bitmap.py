"""Sets of rows of a segment as bitmaps: bit r of word b stands for row 64 * b + r."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dimco.search.layout import BLOCK

Words = NDArray[np.uint64]


def words_of(chosen: NDArray[np.bool_]) -> Words:
    """The bitmap of one boolean a row."""
    padded = np.zeros(-(-len(chosen) // BLOCK) * BLOCK, dtype=bool)
    padded[: len(chosen)] = chosen
    return np.packbits(padded, bitorder="little").view("<u8").astype(np.uint64, copy=False)


def words_with(rows: NDArray[np.int64], total: int) -> Words:
    """The bitmap of `total` rows that holds `rows`."""
    chosen = np.zeros(total, dtype=bool)
    chosen[rows] = True
    return words_of(chosen)


def words_without(rows: NDArray[np.int64], total: int, words: Words | None) -> Words:
    """A bitmap of `total` rows (None: all of them) less `rows`."""
    left = words_of(np.ones(total, dtype=bool)) if words is None else words.copy()
    np.bitwise_and.at(left, rows // BLOCK, ~(np.uint64(1) << (rows % BLOCK).astype(np.uint64)))
    return left


def common(first: Words | None, second: Words | None) -> Words | None:
    """The rows in both bitmaps; None stands for all rows."""
    if first is None or second is None:
        return second if first is None else first
    return first & second


def holds(words: Words | None, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
    """For each of `rows`, whether the bitmap holds it."""
    if words is None:
        return np.ones(len(rows), dtype=bool)
    return (words[rows // BLOCK] >> (rows % BLOCK).astype(np.uint64) & np.uint64(1)).astype(bool)


def rows_in(words: Words | None, total: int) -> NDArray[np.int64]:
    """The rows of a bitmap of `total` rows, increasing."""
    if words is None:
        return np.arange(total)
    chosen = np.unpackbits(words.astype("<u8", copy=False).view(np.uint8), count=total, bitorder="little")
    return np.flatnonzero(chosen)
