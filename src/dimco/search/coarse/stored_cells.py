"""Codes and ids laid out cell after cell, each cell in blocks of its own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dimco.search.coarse.cells import Cells
from dimco.search.index import CodeIndex
from dimco.search.kernels import available_kernels, native, scan
from dimco.search.kernels.workers import usable_cores
from dimco.search.layout import BLOCK, Layout
from dimco.search.scan import ScanSegment

_CHUNK = 1 << 16


class StoredCells:
    """The filled cells of an index.

    Attributes
    ----------
    filled : ndarray of int64, shape (F,)
        The numbers of the cells that have codes; below a cell is named by its place among these.
    rows : ndarray of int64, shape (F,)
        Their codes.
    present : ndarray of bool, shape (C, d, k)
        Which symbols the codes of each of all cells have at each position.
    """

    def __init__(self, index: CodeIndex, cells: Cells) -> None:
        spec, ids = index.spec, index.ids
        self.present = np.zeros((cells.count, spec.d, spec.k), bool)
        number = np.empty(len(ids), np.int64)
        for first in range(0, len(ids), _CHUNK):
            symbols = index.reconstruct(ids[first : first + _CHUNK])
            mine = number[first : first + _CHUNK] = cells.of(symbols)
            self.present[mine[:, None], np.arange(spec.d), symbols] = True
        order = np.argsort(number, kind="stable")
        self.filled, self.rows = np.unique(number, return_counts=True)
        self._layout = Layout(spec)
        starts = np.concatenate([[0], np.cumsum(-(-self.rows // BLOCK))])
        self._blocks = self._packed(index, ids, self._places(order, starts))
        self._ids = ids[order]
        self._segments = self._segmented(starts)
        kernel = available_kernels()[0]
        self._kernel = None if kernel == "torch" else kernel
        self._described = None if self._kernel is None else native.Described(self._segments)

    @property
    def nbytes(self) -> int:
        """Bytes of the codes and their ids."""
        return self._blocks.nbytes + self._ids.nbytes

    def scan(
        self, cells: NDArray[np.int64], table: NDArray[np.float32], n: int, floor: float, threads: int | None
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Ids and scores of the n best items of some cells, best first; those below the floor may be left out."""
        n, tables = min(n, int(self.rows[cells].sum())), table[None]
        if self._kernel is None or self._described is None:
            ids, scores = scan(self._layout, [self._segments[cell] for cell in cells], tables, n, threads=threads)
        else:
            chosen, workers = self._described.some(cells), threads or usable_cores()
            ids, scores, _ = native.scan_native(self._kernel, self._layout, chosen, tables, n, workers, floor)
        return ids[0], scores[0]

    def _places(self, order: NDArray[np.int64], starts: NDArray[np.int64]) -> NDArray[np.int64]:
        """For each row of the blocks the item that stands there, -1 for rows that fill a cell's last block."""
        firsts = np.cumsum(self.rows) - self.rows
        rows = np.arange(len(order)) + np.repeat(starts[:-1] * BLOCK - firsts, self.rows)
        places = np.full(starts[-1] * BLOCK, -1)
        places[rows] = order
        return places

    def _packed(self, index: CodeIndex, ids: NDArray[np.int64], places: NDArray[np.int64]) -> NDArray[np.uint8]:
        blocks = self._layout.empty(len(places))
        for first in range(0, len(places), _CHUNK):
            some = places[first : first + _CHUNK]
            symbols = np.zeros((len(some), index.spec.d), index.spec.dtype)
            symbols[some >= 0] = index.reconstruct(ids[some[some >= 0]])
            packed = self._layout.pack(symbols)
            at = first // BLOCK * self._layout.block_bytes
            blocks[at : at + len(packed)] = packed
        return blocks

    def _segmented(self, starts: NDArray[np.int64]) -> list[ScanSegment]:
        firsts = np.concatenate([[0], np.cumsum(self.rows)])
        bounds, size = (starts * self._layout.block_bytes).tolist(), self.rows.tolist()
        return [
            ScanSegment(self._blocks[bounds[i] : bounds[i + 1]], size[i], self._ids[firsts[i] : firsts[i + 1]])
            for i in range(len(size))
        ]
