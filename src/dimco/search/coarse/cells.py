"""Cells that codes fall into: by the symbols of their first positions."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dimco.errors import InputError
from dimco.spec import CodeSpec

MOST_CELLS = 1 << 18


class Cells(Protocol):
    """Numbers every code with its cell, and says which cells a query should look into first."""

    @property
    def spec(self) -> CodeSpec:
        """The shape of the codes."""
        ...

    @property
    def count(self) -> int:
        """How many cells there are."""
        ...

    def of(self, symbols: NDArray[Any]) -> NDArray[np.int64]:
        """The cells, of shape (N,), of codes of shape (N, d)."""
        ...

    def worth(self, table: NDArray[np.float32], bounds: NDArray[np.float64]) -> NDArray[np.float64]:
        """For each cell a number; those of the largest are probed first.

        Parameters
        ----------
        table : ndarray of float32, shape (d, k)
        bounds : ndarray of float64, shape (count,)
            The most that a code of the cell can score.
        """
        ...


class PrefixCells:
    """A cell for each joint symbol of the first positions.

    Parameters
    ----------
    spec : CodeSpec
    positions : int
        How many of the positions; there are k ** positions cells.

    Examples
    --------
    >>> import numpy as np
    >>> from dimco import CodeSpec
    >>> from dimco.search.coarse import PrefixCells
    >>> cells = PrefixCells(CodeSpec(k=4, d=3), positions=2)
    >>> cells.count, cells.of(np.array([[0, 1, 3], [3, 3, 0]]))
    (16, array([ 1, 15]))
    """

    def __init__(self, spec: CodeSpec, positions: int) -> None:
        if not 1 <= positions <= spec.d:
            raise InputError(f"expected 1 to {spec.d} positions of a {spec} code; got {positions}")
        if spec.k**positions > MOST_CELLS:
            made = f"{positions} positions of {spec.k} symbols make more"
            raise InputError(f"expected at most {MOST_CELLS:,} cells; {made}")
        self.spec, self.positions = spec, positions

    @property
    def count(self) -> int:
        """How many cells there are."""
        return int(self.spec.k**self.positions)

    def of(self, symbols: NDArray[Any]) -> NDArray[np.int64]:
        """The cells, of shape (N,), of codes of shape (N, d)."""
        joint = np.zeros(len(symbols), np.int64)
        for position in range(self.positions):
            joint = joint * self.spec.k + symbols[:, position]
        return joint

    def worth(self, table: NDArray[np.float32], bounds: NDArray[np.float64]) -> NDArray[np.float64]:
        """The bounds themselves."""
        return bounds
