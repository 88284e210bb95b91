"""Which classes the items given each symbol come from."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def symbol_class_counts(symbols: NDArray[Any], labels: NDArray[np.int64], k: int, classes: int) -> NDArray[np.int64]:
    """How many items of each class are given each symbol at each position, (d, k, classes)."""
    d = symbols.shape[1]
    counts = np.zeros((d, k, classes), dtype=np.int64)
    np.add.at(counts, (np.arange(d), symbols, labels[:, None]), 1)
    return counts


def class_shares(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Each class's share of the items of each symbol, (d, k, classes); zeros for a symbol no item is given."""
    shares: NDArray[np.float64] = counts / np.maximum(counts.sum(-1, keepdims=True), 1)
    return shares


def reading_order(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """The used symbols of a position, (k, classes): by main class, then the purest first."""
    used = np.flatnonzero(values.any(1))
    return used[np.lexsort((-values[used].max(1), values[used].argmax(1)))]
