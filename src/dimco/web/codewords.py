"""The distinct codewords of stored items, searched as an index of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from dimco.search.index import CodeIndex
from dimco.spec import CodeSpec


class Codewords:
    """Items grouped by code: a short code is shared by many, and to a search they are one.

    Parameters
    ----------
    symbols : ndarray of shape (N, d)
    spec : CodeSpec

    Attributes
    ----------
    symbols : ndarray of shape (U, d)
        The distinct codewords, in the order of their symbols.
    """

    def __init__(self, symbols: NDArray[Any], spec: CodeSpec) -> None:
        self.symbols, owner = np.unique(symbols, axis=0, return_inverse=True)
        owner = owner.reshape(-1)
        self._members = np.argsort(owner, kind="stable")
        self._starts = np.searchsorted(owner[self._members], np.arange(len(self.symbols) + 1))
        self._index = CodeIndex(spec)
        self._index.add(self.symbols)

    def __len__(self) -> int:
        return len(self.symbols)

    def members(self, codeword: int) -> NDArray[np.int64]:
        """The places of the items that have a codeword, increasing."""
        return self._members[self._starts[codeword] : self._starts[codeword + 1]]

    def nearest(self, table: Tensor, n: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The n codewords that are likeliest for a query (eq. 8), with their scores."""
        found = self._index.search(table, n, threads=1)
        return found.ids, found.scores
