"""CoarseIndex: the codes of an index cell by cell, so that a search need not read all of them."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dimco.errors import InputError
from dimco.search.coarse.bounds import CellBounds
from dimco.search.coarse.cells import Cells
from dimco.search.coarse.stored_cells import StoredCells
from dimco.search.index import CodeIndex
from dimco.search.queries import read_count, read_queries
from dimco.spec import CodeSpec

_FIRST_ITEMS = 4096


class CoarseNeighbours(NamedTuple):
    """The best items found for one query, or for many, best first; equal scores by the smaller id.

    Attributes
    ----------
    ids : ndarray of int64, shape (m,) for one query, (Q, m) for many
        -1 fills the rows of queries whose cells had fewer than m items.
    scores : ndarray of float64, same shape
        sum_i log p_i[c_i] (eq. 8); -inf beside -1.
    scanned : ndarray of int64, shape () for one query, (Q,) for many
        Items in the cells that were looked into.
    """

    ids: NDArray[np.int64]
    scores: NDArray[np.float64]
    scanned: NDArray[np.int64]


class CoarseIndex:
    """A copy of the codes and ids of an index, laid out by cells.

    Parameters
    ----------
    index : CodeIndex
        What it holds now; later changes are not seen.
    cells : Cells
        `PrefixCells` or `ModeCells`, of the spec of the index.

    Notes
    -----
    A search looks into the cells that promise most, some at a time, and leaves out those whose bound is below the n-th
    best score found. Where that leaves none it ends, with the answer of `CodeIndex.search`. With `probes` it ends after
    so many cells at the latest, and the answer may lack items.

    Examples
    --------
    >>> from dimco import CodeIndex, CodeSpec
    >>> from dimco.search.coarse import CoarseIndex, PrefixCells
    >>> index = CodeIndex(CodeSpec(k=2, d=3))
    >>> _ = index.add([[0, 0, 0], [0, 1, 1], [1, 1, 1]])
    >>> coarse = CoarseIndex(index, PrefixCells(index.spec, positions=1))
    >>> coarse.search([[-0.1, -2.0], [-1.0, -0.5], [-2.0, -0.1]], n=1).ids
    array([1])
    """

    def __init__(self, index: CodeIndex, cells: Cells) -> None:
        if cells.spec != index.spec:
            raise InputError(f"expected cells of {index.spec} codes, as in the index; got cells of {cells.spec}")
        self._cells = cells
        self._stored = StoredCells(index, cells)
        self._bounds = CellBounds(self._stored.present)

    @property
    def spec(self) -> CodeSpec:
        """The shape of the codes."""
        return self._cells.spec

    @property
    def nbytes(self) -> int:
        """Bytes of the codes and their ids."""
        return self._stored.nbytes

    def __len__(self) -> int:
        return int(self._stored.rows.sum())

    def search(
        self, log_probs: Any, n: int = 10, probes: int | None = None, *, threads: int | None = None
    ) -> CoarseNeighbours:
        """The n best items of each query.

        Parameters
        ----------
        log_probs : array or Tensor of shape (d, k), or (Q, d, k) for many queries
        n : int
        probes : int, optional
            Cells to look into at most; by default as many as the exact answer takes.
        threads : int, optional
            All cores the process may use by default.
        """
        tables, single = read_queries(log_probs, self.spec)
        wanted = min(read_count(n), len(self))
        if probes is not None and probes < 1:
            raise InputError(f"expected at least 1 probe; got {probes}")
        ids = np.full((len(tables), wanted), -1)
        scores = np.full((len(tables), wanted), -np.inf)
        scanned = np.zeros(len(tables), np.int64)
        for row, table in enumerate(tables):
            found, its_scores, scanned[row] = self._search(table, wanted, probes, threads)
            ids[row, : len(found)], scores[row, : len(found)] = found, its_scores
        return CoarseNeighbours(ids[0], scores[0], scanned[0]) if single else CoarseNeighbours(ids, scores, scanned)

    def _search(
        self, table: NDArray[np.float32], n: int, probes: int | None, threads: int | None
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], int]:
        ids, scores, scanned, floor = np.empty(0, np.int64), np.empty(0), 0, -math.inf
        bounds = self._bounds.of(table)
        left = np.argsort(-self._cells.worth(table, bounds)[self._stored.filled], kind="stable")[:probes]
        bounds = bounds[self._stored.filled]
        while n and len(left):
            sizes = np.cumsum(self._stored.rows[left])
            some = 1 + int(np.searchsorted(sizes, max(_FIRST_ITEMS, scanned)))
            more_ids, more_scores = self._stored.scan(left[:some], table, n, floor, threads)
            scanned += int(sizes[min(some, len(left)) - 1])
            ids, scores = np.concatenate([ids, more_ids]), np.concatenate([scores, more_scores])
            best = np.lexsort((ids, -scores))[:n]
            ids, scores, left = ids[best], scores[best], left[some:]
            if len(ids) == n:
                floor = float(scores[-1])
                left = left[bounds[left] >= floor]
        return ids, scores, scanned
