"""The smallest loss in every block, in plain torch: on any device and for any layout."""

from __future__ import annotations

import torch
from torch import Tensor

from dimco.search.kernels.torch_codes import Piece, bits_of
from dimco.search.layout import BLOCK, Layout


def table_entries(layout: Layout) -> int:
    """Numbers that `TorchMinima` holds for one query."""
    if layout.bits == 4:
        return layout.columns * 2 * 256
    return layout.columns * (256 if layout.bits == 8 else layout.spec.k)


class TorchMinima:
    """Adds up what every byte (or two-byte symbol) of a block stands for, for many queries at once.

    A byte of two nibbles has two lanes: its low item, then its high item.

    Parameters
    ----------
    layout : Layout
    by_column : Tensor of float32, shape (Q, columns, symbols)
        The losses of every symbol.
    """

    numbers_a_block = BLOCK

    def __init__(self, layout: Layout, by_column: Tensor) -> None:
        self._layout = layout
        queries, columns, symbols = by_column.shape
        if layout.bits == 4:
            byte = torch.arange(256, device=by_column.device)
            lanes = [by_column[:, :, nibble.clamp(max=symbols - 1)] for nibble in (byte & 15, byte >> 4)]
        else:
            missing = max(0, (256 if layout.bits == 8 else symbols) - symbols)
            lanes = [torch.nn.functional.pad(by_column, (0, missing), value=torch.inf)]
        self._tables = torch.stack(lanes).permute(2, 3, 0, 1).reshape(columns, -1, len(lanes) * queries).contiguous()

    def __call__(self, piece: Piece) -> Tensor:
        """The smallest loss of an item kept, in every block, for every query: shape (blocks, Q)."""
        total = self._tables[0].index_select(0, piece.column(0))
        for column in range(1, len(self._tables)):
            total += self._tables[column].index_select(0, piece.column(column))
        blocks = len(piece.blocks)
        if self._layout.bits == 4:
            items = total.reshape(blocks, BLOCK // 2, 2, -1).transpose(1, 2).reshape(blocks, BLOCK, -1)
        else:
            items = total.reshape(blocks, BLOCK, -1)
        if piece.keep is not None:
            items = items.masked_fill(~bits_of(piece.keep)[:, :, None], torch.inf)
        return items.amin(dim=1)
