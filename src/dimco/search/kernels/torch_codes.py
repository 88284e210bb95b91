"""Blocks of codes as torch tensors, on any device: their columns, and the symbols of chosen rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dimco.search.layout import BLOCK, Layout
from dimco.search.scan import ScanSegment


@dataclass(frozen=True)
class Piece:
    """Some consecutive rows on a device.

    Attributes
    ----------
    blocks : Tensor of uint8, shape (B, block_bytes)
    rows : int
    ids : Tensor of int64, shape (rows,), or int
        As in `ScanSegment`.
    keep : Tensor of int64, one word a block, or None
        The bitmap of the rows that may be returned, without those past `rows`; None: every row of every block.
    """

    layout: Layout
    blocks: Tensor
    rows: int
    ids: Tensor | int
    keep: Tensor | None

    def column(self, column: int) -> Tensor:
        """What the first pass looks up, as int32: bytes (a byte or two nibbles each), or two-byte symbols."""
        size = self.layout.bits * BLOCK // 8
        stored = self.blocks[:, column * size : (column + 1) * size].int()
        if self.layout.bits == 16:
            stored = (stored[:, 0::2] | stored[:, 1::2] << 8).clamp_(max=self.layout.spec.k - 1)
        return stored.reshape(-1)

    def symbols(self, rows: Tensor) -> Tensor:
        """The symbols of some rows as int64, shape (len(rows), d)."""
        layout, lane = self.layout, rows % BLOCK
        lanes = BLOCK // 2 if layout.bits == 4 else BLOCK
        item_bytes = 2 if layout.bits == 16 else 1
        first = (rows // BLOCK) * layout.block_bytes + lane % lanes * item_bytes
        places = first[:, None] + torch.arange(layout.columns, device=rows.device) * (lanes * item_bytes)
        flat = self.blocks.reshape(-1)
        joint = flat[places].long()
        if layout.bits == 16:
            joint |= flat[places + 1].long() << 8
        if layout.bits == 4:
            joint = joint >> (lane // lanes * 4)[:, None] & 15
        if layout.group > 1:
            width = layout.spec.bits_per_symbol
            shifts = torch.arange(layout.group, device=rows.device) * width
            joint = (joint[:, :, None] >> shifts & (1 << width) - 1).flatten(1)
        return joint[:, : layout.spec.d].clamp(max=layout.spec.k - 1)

    def taken(self, blocks: Tensor, device: torch.device) -> Piece:
        """Some of the blocks, copied to a device."""
        rows = (blocks[:, None] * BLOCK + torch.arange(BLOCK, device=blocks.device)).reshape(-1)
        ids = rows + self.ids if isinstance(self.ids, int) else self.ids[rows.clamp(max=self.rows - 1)]
        keep = None if self.keep is None else self.keep[blocks].to(device)
        return Piece(self.layout, self.blocks[blocks].to(device), len(rows), ids.to(device), keep)

    def kept_rows(self) -> Tensor:
        """The rows that may be returned."""
        rows = torch.arange(self.rows, device=self.blocks.device)
        return rows if self.keep is None else rows[bits_of(self.keep).reshape(-1)[: self.rows]]

    def ids_at(self, rows: Tensor) -> Tensor:
        """The ids of some rows."""
        return rows + self.ids if isinstance(self.ids, int) else self.ids[rows]

    def split(self, rows: int) -> Iterator[Piece]:
        """Pieces of at most `rows` rows, a multiple of 64, that share this one's memory."""
        for start in range(0, self.rows, rows):
            stop = min(start + rows, self.rows)
            blocks = slice(start // BLOCK, -(-stop // BLOCK))
            ids = self.ids + start if isinstance(self.ids, int) else self.ids[start:stop]
            keep = None if self.keep is None else self.keep[blocks]
            yield Piece(self.layout, self.blocks[blocks], stop - start, ids, keep)


def bits_of(words: Tensor) -> Tensor:
    """The 64 bits of every word as booleans, the lowest first."""
    bits: Tensor = (words[:, None] >> torch.arange(BLOCK, device=words.device) & 1).bool()
    return bits


def upload(layout: Layout, segment: ScanSegment, start: int, stop: int, device: torch.device) -> Piece:
    """Copy the rows from `start`, a multiple of 64, to `stop` to a device."""
    first, last = start // BLOCK, -(-stop // BLOCK)
    blocks = np.array(segment.blocks[first * layout.block_bytes : last * layout.block_bytes])
    on_device = torch.from_numpy(blocks).to(device).reshape(-1, layout.block_bytes)
    ids = segment.ids
    placed = int(ids) + start if isinstance(ids, int) else torch.from_numpy(np.array(ids[start:stop])).to(device)
    words = None if segment.keep is None else segment.keep[first:last]
    return Piece(layout, on_device, stop - start, placed, upload_keep(words, stop - start, device))


def upload_keep(words: NDArray[np.uint64] | None, rows: int, device: torch.device) -> Tensor | None:
    """A bitmap of `rows` rows on a device, without the bits past them; None where it would be all ones."""
    past = -rows % BLOCK
    if words is None and past == 0:
        return None
    blocks = -(-rows // BLOCK)
    kept = np.full(blocks, -1, dtype=np.int64) if words is None else np.array(words[:blocks]).view(np.int64)
    if past:
        kept[-1] &= (1 << BLOCK - past) - 1
    return torch.from_numpy(kept).to(device)
