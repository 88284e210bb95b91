"""Which positions of the codes of neighbours agree with the code of their query."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dimco.search.searchable import Searchable


class Agreement(NamedTuple):
    """The codes of Q queries and of their n neighbours each.

    Attributes
    ----------
    codes : ndarray of shape (Q, d)
        The most likely symbols of the queries (eq. 3).
    symbols : ndarray of shape (Q, n, d)
        The stored symbols of the neighbours.
    agree : ndarray of shape (Q, n, d), bool
        Where both are the same.
    """

    codes: NDArray[Any]
    symbols: NDArray[Any]
    agree: NDArray[np.bool_]


def agreement(index: Searchable, codes: NDArray[Any], ids: NDArray[np.int64]) -> Agreement:
    """Compare the codes of queries, (Q, d), with those of the items found for them, (Q, n)."""
    distinct, places = np.unique(ids, return_inverse=True)
    symbols = index.reconstruct(distinct)[places.reshape(ids.shape)]
    return Agreement(codes, symbols, symbols == codes[:, None])
