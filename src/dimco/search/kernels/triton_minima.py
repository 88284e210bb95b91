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

_ENTRIES_OF_NIBBLE, _ENTRIES_OF_BYTE = 16, 256
_BLOCKS_OF_NIBBLES, _BLOCKS_OF_BYTES = 64, 64


@triton.jit  # type: ignore[untyped-decorator]
def smallest_of_nibbles(  # type: ignore[no-untyped-def]
    words,
    keep,
    tables,
    minima,
    blocks,
    COLUMNS: tl.constexpr,
    FILTERED: tl.constexpr,
    BLOCKS: tl.constexpr,
):
    """Some blocks and one query, eight nibbles a load; the table of a column is one line of the first cache.

    Byte j of a column, in word j / 4, holds item j below and item 32 + j above.
    """
    block = tl.program_id(0).to(tl.int64) * BLOCKS + tl.arange(0, BLOCKS)
    inside = block < blocks
    word = tl.arange(0, 8)
    first = words + block[:, None] * (COLUMNS * 8) + word[None, :]
    a0 = tl.zeros((BLOCKS, 8), tl.float32)
    b0 = tl.zeros((BLOCKS, 8), tl.float32)
    a1 = tl.zeros((BLOCKS, 8), tl.float32)
    b1 = tl.zeros((BLOCKS, 8), tl.float32)
    a2 = tl.zeros((BLOCKS, 8), tl.float32)
    b2 = tl.zeros((BLOCKS, 8), tl.float32)
    a3 = tl.zeros((BLOCKS, 8), tl.float32)
    b3 = tl.zeros((BLOCKS, 8), tl.float32)
    for column in range(COLUMNS):
        stored = tl.load(first + column * 8, mask=inside[:, None], other=0)
        table = tables + column * 16
        a0 += tl.load(table + (stored & 15))
        b0 += tl.load(table + (stored >> 4 & 15))
        a1 += tl.load(table + (stored >> 8 & 15))
        b1 += tl.load(table + (stored >> 12 & 15))
        a2 += tl.load(table + (stored >> 16 & 15))
        b2 += tl.load(table + (stored >> 20 & 15))
        a3 += tl.load(table + (stored >> 24 & 15))
        b3 += tl.load(table + (stored >> 28 & 15))
    if FILTERED:
        kept = tl.load(keep + block, mask=inside, other=0)[:, None] >> (word[None, :] * 4)
        a0 = tl.where(kept & 1 == 1, a0, float("inf"))
        a1 = tl.where(kept >> 1 & 1 == 1, a1, float("inf"))
        a2 = tl.where(kept >> 2 & 1 == 1, a2, float("inf"))
        a3 = tl.where(kept >> 3 & 1 == 1, a3, float("inf"))
        b0 = tl.where(kept >> 32 & 1 == 1, b0, float("inf"))
        b1 = tl.where(kept >> 33 & 1 == 1, b1, float("inf"))
        b2 = tl.where(kept >> 34 & 1 == 1, b2, float("inf"))
        b3 = tl.where(kept >> 35 & 1 == 1, b3, float("inf"))
    low = tl.minimum(tl.minimum(a0, a1), tl.minimum(a2, a3))
    high = tl.minimum(tl.minimum(b0, b1), tl.minimum(b2, b3))
    tl.store(minima + block, tl.min(tl.minimum(low, high), axis=1), mask=inside)


@triton.jit  # type: ignore[untyped-decorator]
def smallest_of_bytes(  # type: ignore[no-untyped-def]
    codes,
    keep,
    tables,
    minima,
    blocks,
    COLUMNS: tl.constexpr,
    FILTERED: tl.constexpr,
    BLOCKS: tl.constexpr,
):
    """Some blocks and one query; the table of a column is looked up where a gather puts it, in shared memory."""
    block = tl.program_id(0).to(tl.int64) * BLOCKS + tl.arange(0, BLOCKS)
    inside = block < blocks
    item = tl.arange(0, 64)
    symbol = tl.arange(0, 256)
    first = codes + block[:, None] * (COLUMNS * 64) + item[None, :]
    loss = tl.zeros((BLOCKS * 64,), tl.float32)
    for column in range(COLUMNS):
        stored = tl.load(first + column * 64, mask=inside[:, None], other=0).to(tl.int32)
        loss += tl.gather(tl.load(tables + column * 256 + symbol), tl.reshape(stored, (BLOCKS * 64,)), 0)
    loss = tl.reshape(loss, (BLOCKS, 64))
    if FILTERED:
        kept = tl.load(keep + block, mask=inside, other=0)[:, None] >> item[None, :]
        loss = tl.where(kept & 1 == 1, loss, float("inf"))
    tl.store(minima + block, tl.min(loss, axis=1), mask=inside)


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
        self._nibbles = layout.bits == 4
        entries = _ENTRIES_OF_NIBBLE if self._nibbles else _ENTRIES_OF_BYTE
        missing = entries - by_column.shape[2]
        self._tables = torch.nn.functional.pad(by_column, (0, missing), value=torch.inf).contiguous()

    def __call__(self, piece: Piece) -> Tensor:
        """The smallest loss of an item kept, in every block, for every query: shape (blocks, Q)."""
        queries, columns, _ = self._tables.shape
        blocks = len(piece.blocks)
        stored = piece.blocks.view(torch.int32) if self._nibbles else piece.blocks
        kernel = smallest_of_nibbles if self._nibbles else smallest_of_bytes
        a_program = _BLOCKS_OF_NIBBLES if self._nibbles else _BLOCKS_OF_BYTES
        minima = torch.empty((queries, blocks), device=self._tables.device)
        with torch.cuda.device_of(self._tables):
            for query in range(queries):
                kernel[(triton.cdiv(blocks, a_program),)](
                    stored,
                    stored if piece.keep is None else piece.keep,
                    self._tables[query],
                    minima[query],
                    blocks,
                    COLUMNS=columns,
                    FILTERED=piece.keep is not None,
                    BLOCKS=a_program,
                )
        return minima.t()
