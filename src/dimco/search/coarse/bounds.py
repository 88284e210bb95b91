"""The most that a code of each cell can score."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


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
    """

    def __init__(self, present: NDArray[np.bool_]) -> None:
        self._positions: list[tuple[NDArray[np.bool_], NDArray[Any]]] = []
        for position in range(present.shape[1]):
            distinct, which = np.unique(present[:, position], axis=0, return_inverse=True)
            self._positions.append((distinct, which.reshape(-1)))
        self._count = len(present)

    def of(self, table: NDArray[np.float32]) -> NDArray[np.float64]:
        """The bounds, of shape (C,), for a query of shape (d, k); -inf for cells without codes."""
        total = np.zeros(self._count)
        for entries, (distinct, which) in zip(table, self._positions, strict=True):
            total += np.where(distinct, entries, -np.inf).max(1)[which]
        return total
