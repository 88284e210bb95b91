"""Codes that stay on a device, and what searches them there: recorded graphs for large pieces, or the torch scan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray

from dimco.search.kernels.n_best import Found, n_best
from dimco.search.kernels.sieve import FEWEST_BLOCKS
from dimco.search.kernels.torch_codes import Piece, upload, upload_keep
from dimco.search.kernels.torch_scan import Results, rounded_minima_for, scan_pieces
from dimco.search.layout import Layout
from dimco.search.scan import ScanSegment

if TYPE_CHECKING:
    from dimco.search.kernels.graph_scan import GraphScan

_MOST_ASKED = 128


class DeviceCodes:
    """Codes copied to a device once and searched there many times.

    Parameters
    ----------
    layout : Layout
    segments : sequence of ScanSegment
    device : str or torch.device
    """

    def __init__(self, layout: Layout, segments: Sequence[ScanSegment], device: str | torch.device) -> None:
        self.layout, self.device = layout, torch.device(device)
        self._pieces = [upload(layout, segment, 0, segment.rows, self.device) for segment in segments]
        self._graphs, self._others = _divided(self._pieces, self.device)

    def scan(
        self, tables: NDArray[np.float32], n: int, keep: Sequence[NDArray[np.uint64] | None] | None = None
    ) -> Results:
        """As `scan_torch`; `keep`, one bitmap a segment, replaces those the segments came with."""
        if keep is not None:
            filtered = [
                replace(piece, keep=upload_keep(words, piece.rows, self.device))
                for piece, words in zip(self._pieces, keep, strict=True)
            ]
            return self._scan(filtered, tables, n)
        if not self._graphs or n > _MOST_ASKED:
            return self._scan(self._pieces, tables, n)
        return self._replayed(tables, n)

    def _scan(self, whole: Sequence[Piece], tables: NDArray[np.float32], n: int) -> Results:
        def pieces(rows: int) -> Iterator[Piece]:
            for piece in whole:
                yield from piece.split(rows)

        return scan_pieces(self.layout, pieces, tables, n, self.device)

    def _replayed(self, tables: NDArray[np.float32], n: int) -> Results:
        """By the graphs; the scan takes the pieces that have none, and the queries that some graph leaves to it."""
        answers = [graph(tables, n) for graph in self._graphs]
        if self._others:
            answers.append(list(zip(*self._scan(self._others, tables, n), strict=True)))
        found = [_joined(parts, n) for parts in zip(*answers, strict=True)]
        left = [query for query, answer in enumerate(found) if answer is None]
        if left:
            for query, ids, scores in zip(left, *self._scan(self._pieces, tables[left], n), strict=True):
                found[query] = ids, scores
        answered = [answer for answer in found if answer is not None]
        return np.stack([ids for ids, _ in answered]), np.stack([scores for _, scores in answered])


def _joined(parts: Sequence[Found | None], n: int) -> Found | None:
    """The n best of those of all pieces; None if some piece gave no answer."""
    found = [part for part in parts if part is not None]
    if len(found) < len(parts):
        return None
    if len(found) == 1:
        return found[0]
    return n_best(np.concatenate([ids for ids, _ in found]), np.concatenate([scores for _, scores in found]), n)


def _divided(pieces: Sequence[Piece], device: torch.device) -> tuple[list[GraphScan], list[Piece]]:
    """The large pieces, each with a graph to come, where there can be graphs, and all others."""
    if not pieces or rounded_minima_for(pieces[0].layout, device) is None:
        return [], list(pieces)
    from dimco.search.kernels.graph_scan import GraphScan

    large = [piece for piece in pieces if len(piece.blocks) >= FEWEST_BLOCKS]
    return [GraphScan(piece) for piece in large], [piece for piece in pieces if len(piece.blocks) < FEWEST_BLOCKS]
