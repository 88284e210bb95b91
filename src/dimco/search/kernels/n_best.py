"""The n best of a few items whose scores are known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Found = tuple[NDArray[np.int64], NDArray[np.float64]]


def n_best(ids: NDArray[np.int64], scores: NDArray[np.float64], n: int) -> Found:
    """The n best of some items, best first; equal scores by the smaller id."""
    if len(scores) > 2 * n:
        reaching = scores >= np.partition(scores, -n)[-n]
        ids, scores = ids[reaching], scores[reaching]
    order = np.lexsort((ids, -scores))[:n]
    return ids[order], scores[order]
