"""Codes and queries as sparse vectors, so that inner product is similarity (eq. 8) plus a constant.

Symbol s at position i is dimension i * k + s. A code is one there, a query is log p_i[s], shifted at each position so
that no weight is negative, which some databases refuse. The shift is the same for every code, so the order is that of
the similarity.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dimco.spec import CodeSpec

_FLOAT32_STEP = 2.0**-23


class SparseQuery(NamedTuple):
    """A query as a sparse vector of non-negative weights.

    Attributes
    ----------
    dimensions : ndarray of int64, increasing
        Those of weight above zero.
    weights : ndarray of float32
    shift : float
        Inner product less similarity, the same for every code without an impossible symbol.
    error : float
        How far, as a share of it, an inner product added in float32 in any order may be from the true one.
    """

    dimensions: NDArray[np.int64]
    weights: NDArray[np.float32]
    shift: float
    error: float


def dimensions_of(symbols: NDArray[Any], spec: CodeSpec) -> NDArray[np.int64]:
    """The dimensions, of shape (N, d), where the codes of these symbols are one."""
    return symbols.astype(np.int64) + spec.k * np.arange(spec.d)


def symbols_of(dimensions: NDArray[np.int64], spec: CodeSpec) -> NDArray[np.unsignedinteger]:
    """The symbols of codes, of shape (N, d), from the dimensions where they are one, in any order."""
    ordered = np.sort(dimensions.reshape(-1, spec.d), axis=1)
    return (ordered - spec.k * np.arange(spec.d)).astype(spec.dtype)


def sparse_query(table: NDArray[np.float32]) -> SparseQuery:
    """The query of a table of log probabilities, of shape (d, k).

    Every weight at the first position is at least one, so that no code shares nothing with a query: databases do not
    find what does. A symbol that cannot be (-inf) is put so low that codes with one come after all others.
    """
    exact = table.astype(np.float64)
    finite = np.isfinite(exact)
    possible = finite.any(1)
    least = np.where(possible, np.where(finite, exact, np.inf).min(1), 0)
    most = np.where(possible, np.where(finite, exact, -np.inf).max(1), 0)
    floor = np.where(finite.all(1), least, least - (most - least).sum() - 1)
    shifted = np.where(finite, exact - floor[:, None], 0)
    shifted[0] += 1
    weights = shifted.astype(np.float32).reshape(-1)
    dimensions = np.flatnonzero(weights)
    return SparseQuery(dimensions, weights[dimensions], float(1 - floor.sum()), (len(table) + 2) * _FLOAT32_STEP)


def similarities(table: NDArray[np.float32], symbols: NDArray[Any]) -> NDArray[np.float64]:
    """Those of a query to codes of shape (N, d), added in float64 in the order of positions, as an index does."""
    exact = table.astype(np.float64)
    total = np.zeros(len(symbols))
    for position in range(len(exact)):
        total += exact[position, symbols[:, position]]
    return total
