"""The distinct codewords of stored items, searched as an index of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from dimco.search.index import CodeIndex
from dimco.spec import CodeSpec


class CodewordGroups:
    """Items grouped by code: a short code is shared by many.

    Parameters
    ----------
    symbols : ndarray of shape (N, d)

    Attributes
    ----------
    symbols : ndarray of shape (U, d)
        The distinct codewords, in the order of their symbols.
    owner : ndarray of shape (N,)
        The codeword of each item.
    """

    def __init__(self, symbols: NDArray[Any]) -> None:
        self.symbols, owner = np.unique(symbols, axis=0, return_inverse=True)
        self.owner: NDArray[np.int64] = owner.reshape(-1)
        self._members = np.argsort(self.owner, kind="stable")
        self._starts = np.searchsorted(self.owner[self._members], np.arange(len(self.symbols) + 1))

    def __len__(self) -> int:
        return len(self.symbols)

    def members(self, codeword: int) -> NDArray[np.int64]:
        """The places of the items that have a codeword, increasing."""
        return self._members[self._starts[codeword] : self._starts[codeword + 1]]

    def firsts(self) -> NDArray[np.int64]:
        """The first item of each codeword."""
        return self._members[self._starts[:-1]]


class Codewords(CodewordGroups):
    """Codewords searched where each counts as one, under the number of its first item.

    Parameters
    ----------
    symbols : ndarray of shape (N, d)
    spec : CodeSpec
    """

    def __init__(self, symbols: NDArray[Any], spec: CodeSpec) -> None:
        super().__init__(symbols)
        self._index = CodeIndex(spec)
        self._index.add(self.symbols, self.firsts())

    def nearest(self, table: Tensor, n: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The n codewords that are likeliest for a query (eq. 8), with their scores; equal ones by their first item."""
        found = self._index.search(table, n, threads=1)
        return self.owner[found.ids], found.scores
