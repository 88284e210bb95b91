"""The most that a code of each cell can score."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_MOST_DISTINCT = 256


class CellBounds:
    """Upper bounds from which symbols the codes of each cell have at each position.

    Parameters
    ----------
    present : ndarray of bool, shape (C, d, k)

    Notes
    -----
    A bound is the sum, over positions, of the largest entry among the symbols present, added in float64 in the order
    of positions, as a score is. Rounding is monotone: no term of a score is larger than that of the bound, so no
    rounded sum is either. So an exact search may leave out every cell whose bound is below its n-th best score.

    Where cells have more than 256 different sets of symbols at a position, the symbols of all cells stand for those
    of each: the bound is then somewhat higher, and still quick to compute.
    """

    def __init__(self, present: NDArray[np.bool_]) -> None:
        self._positions: list[tuple[NDArray[np.bool_], NDArray[Any] | None]] = []
        for position in range(present.shape[1]):
            distinct, which = np.unique(present[:, position], axis=0, return_inverse=True)
            if 1 < len(distinct) <= _MOST_DISTINCT:
                self._positions.append((distinct, which.reshape(-1)))
            else:
                self._positions.append((np.logical_or.reduce(present[:, position : position + 1]), None))
        self._count = len(present)

    def of(self, table: NDArray[np.float32]) -> NDArray[np.float64]:
        """The bounds, of shape (C,), for a query of shape (d, k)."""
        total = np.zeros(self._count)
        for entries, (distinct, which) in zip(table, self._positions, strict=True):
            most = np.where(distinct, entries, -np.inf).max(1)
            total += most if which is None else most[which]
        return total
