"""The scan in torch: exact on a CPU without the native library, and on a GPU.

A first pass adds up losses in float32 and keeps the smallest of every block of 64 items. Of the blocks that the
certified limit of `Losses` cannot exclude, every item is scored in float64, position after position, and enters the
n best.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dimco.search.kernels import sieve
from dimco.search.kernels.sieve import RoundedMinima, Sieve
from dimco.search.kernels.torch_codes import Piece, upload
from dimco.search.kernels.torch_losses import Losses
from dimco.search.kernels.torch_minima import TorchMinima, table_entries
from dimco.search.layout import BLOCK, Layout
from dimco.search.scan import ScanSegment

if TYPE_CHECKING:
    from dimco.search.kernels.triton_minima import TritonMinima

_TABLE_ENTRIES, _GROUPS = 1 << 22, 16
_CPU_NUMBERS, _GPU_NUMBERS = 1 << 18, 1 << 28
_RESCORED_SYMBOLS, _FEW_BLOCKS, _NEIGHBOURS = 1 << 22, 1024, 64

Results = tuple[NDArray[np.int64], NDArray[np.float64]]


def scan_torch(
    layout: Layout,
    segments: Sequence[ScanSegment],
    tables: NDArray[np.float32],
    n: int,
    device: str | torch.device = "cpu",
) -> Results:
    """The n best items of each query and their scores (eq. 8), as every kernel gives them.

    Parameters
    ----------
    layout : Layout
    segments : sequence of ScanSegment
    tables : ndarray of float32, shape (Q, d, k)
        At least one query; entries are finite or -inf.
    n : int
    device : str or torch.device
        Where to compute; the codes are sent there piece by piece. `device_codes` keeps them there.

    Returns
    -------
    ids : ndarray of int64, shape (Q, m)
        m is n, or the number of items kept where that is smaller.
    scores : ndarray of float64, shape (Q, m)
    """
    place = torch.device(device)

    def pieces(rows: int) -> Iterator[Piece]:
        for segment in segments:
            for start in range(0, segment.rows, rows):
                yield upload(layout, segment, start, min(start + rows, segment.rows), place)

    return scan_pieces(layout, pieces, tables, n, place)


def scan_pieces(
    layout: Layout,
    pieces: Callable[[int], Iterator[Piece]],
    tables: NDArray[np.float32],
    n: int,
    device: torch.device,
) -> Results:
    """As `scan_torch`, of pieces on a device; `pieces` gives them all, of at most so many rows each."""
    queries = len(tables)
    together = min(queries, max(1, _TABLE_ENTRIES // table_entries(layout)))
    numbers = _CPU_NUMBERS if device.type == "cpu" else _GPU_NUMBERS
    per_block = max(together * minima_for(layout, device).numbers_a_block, layout.block_bytes // 4)
    rows = max(1, numbers // per_block) * BLOCK
    ids, exact = [], []
    for start in range(0, queries, together * _GROUPS):
        stop = min(start + together * _GROUPS, queries)
        groups = [
            _QueryGroup(layout, tables[first : min(first + together, stop)], n, device)
            for first in range(start, stop, together)
        ]
        for piece in pieces(rows):
            for group in groups:
                group.visit(piece)
        ids += [best.ids for group in groups for best in group.best]
        exact += [best.scores for group in groups for best in group.best]
    return torch.stack(ids).numpy(), torch.stack(exact).numpy()


class _QueryGroup:
    """Some queries, the n best items each has met, and the n smallest of the losses that blocks begin with."""

    def __init__(self, layout: Layout, tables: NDArray[np.float32], n: int, device: torch.device) -> None:
        self._losses = Losses(layout, tables, device)
        self._minima = minima_for(layout, device)(layout, self._losses.by_column)
        self._smallest = torch.empty((0, len(tables)), device=device)
        self._n = n
        rounded = rounded_minima_for(layout, device)
        self._sieve = None if rounded is None else Sieve(self._losses, self._minima, rounded, n)
        self.best = [_Best(table, n) for table in torch.from_numpy(np.array(tables))]

    def visit(self, piece: Piece) -> None:
        """Score exactly what the limit cannot exclude of a piece.

        The smallest losses of n blocks are those of n items, so the n-th smallest of them bounds the n-th item's.
        """
        if self._sieve is not None and len(piece.blocks) >= sieve.FEWEST_BLOCKS:
            piece = self._sieve(piece, self._smallest)
        minima = self._minima(piece)
        fewer = _smallest_of_neighbours(minima, self._n)
        among = torch.cat([self._smallest, fewer.topk(min(self._n, len(fewer)), dim=0, largest=False).values])
        self._smallest = among.topk(min(self._n, len(among)), dim=0, largest=False).values
        if len(self._smallest) < self._n:
            limit = torch.full_like(minima[0], torch.inf)
        else:
            limit = self._losses.limit(self._smallest.amax(dim=0))
        wanted = minima <= limit
        for query, best in enumerate(self.best):
            best.offer(piece, wanted[:, query].nonzero()[:, 0])


def _smallest_of_neighbours(minima: Tensor, n: int) -> Tensor:
    """Minima of many blocks each, where enough are left: the n smallest are found sooner, and bound as well."""
    blocks = len(minima)
    if blocks < n * _NEIGHBOURS**2:
        return minima
    whole = minima[: blocks - blocks % _NEIGHBOURS].t().unflatten(1, (-1, _NEIGHBOURS))
    fewer: Tensor = whole.amin(2).t()
    return fewer


class _Best:
    """The n best items one query has met, in the order of the answer, in the memory of the CPU."""

    def __init__(self, table: Tensor, n: int) -> None:
        self._table, self._n = table, n
        self.ids = torch.empty(0, dtype=torch.int64)
        self.scores = torch.empty(0, dtype=torch.float64)

    def offer(self, piece: Piece, blocks: Tensor) -> None:
        """Score the items of some blocks in float64, and keep the n best of them and of those met before.

        A few blocks are scored on the CPU, where a small step takes less time than a GPU takes to start one.
        """
        few = torch.device("cpu") if len(blocks) <= _FEW_BLOCKS else blocks.device
        for some in blocks.split(max(1, _RESCORED_SYMBOLS // (BLOCK * piece.layout.spec.d))):
            part = piece.taken(some, few)
            rows = part.kept_rows()
            ids = torch.cat([self.ids, part.ids_at(rows).cpu()])
            scores = torch.cat([self.scores, _exact_scores(self._table, part.symbols(rows)).cpu()])
            by_id = ids.argsort()
            order = by_id[scores[by_id].argsort(descending=True, stable=True)][: self._n]
            self.ids, self.scores = ids[order], scores[order]


def _exact_scores(table: Tensor, symbols: Tensor) -> Tensor:
    """Entry after entry added in the order of positions, which is what defines a score to the bit."""
    entries = table.to(symbols.device).gather(1, symbols.t()).double()
    total = torch.zeros(len(symbols), dtype=torch.float64, device=symbols.device)
    for position in entries:
        total += position
    return total


def rounded_minima_for(layout: Layout, device: torch.device) -> RoundedMinima | None:
    """What finds the smallest rounded losses of many blocks sooner than their losses; None where nothing does."""
    if device.type != "cuda" or layout.bits != 4 or importlib.util.find_spec("triton") is None:
        return None
    from dimco.search.kernels.triton_rounded import MOST_COLUMNS, rounded_minima

    return rounded_minima if layout.columns <= MOST_COLUMNS else None


def minima_for(layout: Layout, device: torch.device) -> type[TorchMinima] | type[TritonMinima]:
    """What finds the smallest loss in every block fastest on a device."""
    if device.type == "cuda" and layout.bits <= 8 and importlib.util.find_spec("triton") is not None:
        from dimco.search.kernels.triton_minima import TritonMinima

        return TritonMinima
    return TorchMinima
