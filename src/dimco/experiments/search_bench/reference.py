"""The exact answer, the slow way: float64 sums in the order of positions, equal scores by the smaller id."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_CHUNK = 65_536


def exact_ids(symbols: NDArray[Any], table: NDArray[np.float32], n: int) -> NDArray[np.int64]:
    """The ids of the n best rows for one query's table (d, k)."""
    values = table.astype(np.float64)
    best_ids, best_scores = np.empty(0, np.int64), np.empty(0)
    for start in range(0, len(symbols), _CHUNK):
        part = symbols[start : start + _CHUNK]
        scores = np.zeros(len(part))
        for position, row in enumerate(values):
            scores += row[part[:, position]]
        ids = np.concatenate([best_ids, np.arange(start, start + len(part))])
        scores = np.concatenate([best_scores, scores])
        order = np.lexsort((ids, -scores))[:n]
        best_ids, best_scores = ids[order], scores[order]
    return best_ids
