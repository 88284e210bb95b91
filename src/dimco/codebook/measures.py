"""Information measures of stored symbols: pure functions of counts, in nats."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]


class TotalCorrelation(NamedTuple):
    """How much the positions of stored codes repeat each other: sum of H(X_i) minus H(X_1, ..., X_d), in bits.

    Attributes
    ----------
    plug_in : float
        From the frequencies of symbols and of whole codewords. H of the whole codeword comes out too small when
        items are few for the codewords there are, and then this comes out too large: with every item alone on its
        codeword it measures the number of items and nothing else.
    corrected : float
        With Miller and Madow's correction of each entropy, (codewords seen - 1) / (2 items), which takes most of that
        away while codewords have several items each, and not where they have one.
    codewords, items : int
        Distinct codewords seen, and items; below about ten items a codeword, trust neither number.
    """

    plug_in: float
    corrected: float
    codewords: int
    items: int


def entropy_of_counts(counts: NDArray[Any], axis: int | None = None) -> NDArray[np.float64]:
    """H of frequencies (eq. 4), along an axis or of all counts."""
    counts = np.asarray(counts, dtype=np.float64)
    total = counts.sum(axis, keepdims=True)
    p = counts / np.maximum(total, 1)
    terms = np.where(p > 0, -p * np.log(np.where(p > 0, p, 1)), 0)
    return np.asarray(terms.sum(axis))


def information_of_table(table: NDArray[Any]) -> NDArray[np.float64]:
    """Mutual information of the last two dimensions of a table of counts."""
    rows, columns = (entropy_of_counts(table.sum(axis), -1) for axis in (-1, -2))
    both = entropy_of_counts(table.reshape(*table.shape[:-2], -1), -1)
    return np.maximum(rows + columns - both, 0)


def symbol_information(class_counts: Counts) -> NDArray[np.float64]:
    """I of "the item has this symbol here", yes or no, and the label, (d, k), from counts (d, k, classes)."""
    every = class_counts.sum(1, keepdims=True)
    return information_of_table(np.stack([class_counts, every - class_counts], -2))


def position_information(class_counts: Counts) -> NDArray[np.float64]:
    """I(X_i; Y) of each position's stored symbol and the label, (d,), from counts (d, k, classes)."""
    return information_of_table(class_counts)


def class_lift(class_counts: Counts) -> NDArray[np.float64]:
    """How many times more frequent each class is among a symbol's items than among all, (d, k, classes).

    Zero for a symbol without items.
    """
    shares = class_counts / np.maximum(class_counts.sum(-1, keepdims=True), 1)
    frequencies = class_counts[0].sum(0) / max(1, class_counts[0].sum())
    lift: NDArray[np.float64] = shares / np.where(frequencies > 0, frequencies, 1)
    return lift


def pairwise_information(symbols: NDArray[Any], k: int) -> NDArray[np.float64]:
    """I(X_i; X_j) of the stored symbols, (d, d); the diagonal is H(X_i)."""
    d = symbols.shape[1]
    columns = np.ascontiguousarray(symbols.T, dtype=np.int64)
    found = np.zeros((d, d))
    for i in range(d):
        found[i, i] = entropy_of_counts(np.bincount(columns[i], minlength=k))
        for j in range(i + 1, d):
            seen, counts = np.unique(columns[i] * k + columns[j], return_counts=True)
            found[i, j] = found[j, i] = max(0.0, _information_of_cells(seen // k, seen % k, counts))
    return found


def total_correlation(symbols: NDArray[Any]) -> TotalCorrelation:
    """Total correlation of stored codes, (N, d), from how often each codeword is seen."""
    items, codewords = len(symbols), np.unique(symbols, axis=0, return_counts=True)[1]
    plug_in, excess = 0.0, -(len(codewords) - 1)
    for column in symbols.T:
        counts = np.unique(column, return_counts=True)[1]
        plug_in += float(entropy_of_counts(counts))
        excess += len(counts) - 1
    plug_in = max(0.0, plug_in - float(entropy_of_counts(codewords)))
    corrected = max(0.0, plug_in + excess / (2 * items))
    return TotalCorrelation(plug_in / math.log(2), corrected / math.log(2), len(codewords), items)


def _information_of_cells(rows: Counts, columns: Counts, counts: Counts) -> float:
    """Mutual information of a table given by its cells that are not zero."""
    sides = (np.bincount(side, weights=counts) for side in (rows, columns))
    return float(sum(entropy_of_counts(side) for side in sides) - entropy_of_counts(counts))
