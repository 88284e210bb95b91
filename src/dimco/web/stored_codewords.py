"""The distinct codewords of items that are searched elsewhere, found through the items."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from dimco.search.searchable import Searchable
from dimco.web.codewords import CodewordGroups


class StoredCodewords(CodewordGroups):
    """Codewords found by searching for their items, as many as it takes; the answers are those of `Codewords`.

    Parameters
    ----------
    symbols : ndarray of shape (N, d)
    ids : ndarray of shape (N,)
        Of the items, increasing.
    index : Searchable
        What holds the same items.
    """

    def __init__(self, symbols: NDArray[Any], ids: NDArray[np.int64], index: Searchable) -> None:
        super().__init__(symbols)
        self._ids, self._index = ids, index

    def nearest(self, table: Tensor, n: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The n codewords that are likeliest for a query (eq. 8), with their scores; equal ones by their first item."""
        asked = 2 * n * -(-len(self._ids) // len(self))
        while True:
            found = self._index.search(table, min(asked, len(self._ids)))
            owners = self.owner[np.searchsorted(self._ids, found.ids)]
            distinct, first = np.unique(owners, return_index=True)
            if len(distinct) >= n or asked >= len(self._ids):
                best = np.sort(first)[:n]
                return owners[best], found.scores[best]
            sharing = sum(len(self.members(codeword)) for codeword in distinct.tolist())
            asked = max(4 * asked, sharing + n - len(distinct))
