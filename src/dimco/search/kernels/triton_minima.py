"""The smallest loss in every block on a GPU: the codes are read once for a query, and one number a block is written.

Triton comes with torch where torch supports it; without it `TorchMinima` does the same, more slowly.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from dimco.search.kernels.torch_codes import Piece
from dimco.search.layout import Layout

_BLOCKS_A_PROGRAM = 64


@triton.jit  # type: ignore[untyped-decorator]
def smallest_losses(  # type: ignore[no-untyped-def]
    codes,
    keep,
    tables,
    minima,
    blocks,
    COLUMNS: tl.constexpr,
    SYMBOLS: tl.constexpr,
    NIBBLES: tl.constexpr,
    FILTERED: tl.constexpr,
    BLOCKS: tl.constexpr,
):
    """Some blocks and one query: bytes stand for a low and a high nibble, or for one symbol.

    The table of a column is looked up where a gather puts it, in shared memory.
    """
    width: tl.constexpr = 32 if NIBBLES else 64
    entries: tl.constexpr = 16 if NIBBLES else 256
    block = tl.program_id(0).to(tl.int64) * BLOCKS + tl.arange(0, BLOCKS)
    inside = block < blocks
    item = tl.arange(0, width)
    symbol = tl.arange(0, entries)
    first = codes + block[:, None] * (COLUMNS * width) + item[None, :]
    low = tl.zeros((BLOCKS * width,), tl.float32)
    high = tl.zeros((BLOCKS * width,), tl.float32)
    for column in range(COLUMNS):
        stored = tl.load(first + column * width, mask=inside[:, None], other=0).to(tl.int32)
        stored = tl.reshape(stored, (BLOCKS * width,))
        table = tl.load(tables + column * SYMBOLS + symbol, mask=symbol < SYMBOLS, other=float("inf"))
        if NIBBLES:
            low += tl.gather(table, stored & 15, 0)
            high += tl.gather(table, stored >> 4, 0)
        else:
            low += tl.gather(table, stored, 0)
    low = tl.reshape(low, (BLOCKS, width))
    high = tl.reshape(high, (BLOCKS, width))
    if FILTERED:
        kept = tl.load(keep + block, mask=inside, other=0)[:, None] >> item[None, :]
        low = tl.where(kept & 1 == 1, low, float("inf"))
        high = tl.where((kept >> 32) & 1 == 1, high, float("inf"))
    best = tl.minimum(low, high) if NIBBLES else low
    tl.store(minima + block, tl.min(best, axis=1), mask=inside)


class TritonMinima:
    """Takes the place of `TorchMinima` for columns of a nibble or a byte.

    Parameters
    ----------
    layout : Layout
    by_column : Tensor of float32, shape (Q, columns, symbols)
        The losses of every symbol.
    """

    numbers_a_block = 1

    def __init__(self, layout: Layout, by_column: Tensor) -> None:
        self._layout = layout
        self._tables = by_column.contiguous()

    def __call__(self, piece: Piece) -> Tensor:
        """The smallest loss of an item kept, in every block, for every query: shape (blocks, Q)."""
        queries, columns, symbols = self._tables.shape
        blocks = len(piece.blocks)
        minima = torch.empty((queries, blocks), device=self._tables.device)
        with torch.cuda.device_of(self._tables):
            for query in range(queries):
                smallest_losses[(triton.cdiv(blocks, _BLOCKS_A_PROGRAM),)](
                    piece.blocks,
                    piece.blocks if piece.keep is None else piece.keep,
                    self._tables[query],
                    minima[query],
                    blocks,
                    COLUMNS=columns,
                    SYMBOLS=symbols,
                    NIBBLES=self._layout.bits == 4,
                    FILTERED=piece.keep is not None,
                    BLOCKS=_BLOCKS_A_PROGRAM,
                )
        return minima.t()
