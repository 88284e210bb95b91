"""The best items of many scores, found piece by piece."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class Best:
    """The items with the highest scores, `top` of them for each of S scores; of equals, those that came first.

    Attributes
    ----------
    items : ndarray of shape (S, at most top), int64
        Highest first.
    scores : ndarray of the same shape
    """

    def __init__(self, wanted: int, top: int) -> None:
        self._top = top
        self.items = np.empty((wanted, 0), dtype=np.int64)
        self.scores = np.empty((wanted, 0))

    def add(self, first: int, scores: NDArray[Any]) -> None:
        """Take part with the scores (S, rows) of the items `first`, `first` + 1, ..."""
        rows = np.arange(scores.shape[1])
        if len(rows) > self._top:
            least = np.partition(scores, -self._top, axis=1)[:, -self._top]
            rows = np.flatnonzero((scores >= least[:, None]).any(0))
        scores, places = scores[:, rows], first + rows
        scores = np.concatenate([self.scores, scores], axis=1)
        items = np.concatenate([self.items, np.broadcast_to(places, (len(scores), len(places)))], axis=1)
        order = np.argsort(-scores, axis=1, kind="stable")[:, : self._top]
        self.scores = np.take_along_axis(scores, order, axis=1)
        self.items = np.take_along_axis(items, order, axis=1)
