"""The smallest rounded loss in every block of nibbles on a GPU: four look-ups an instruction, in registers.

A column's table of 16 losses, each rounded down to 7 bits, fills four registers. A byte permutation picks four of
their bytes by the low three bits of four nibbles; where the fourth bit is set it gives the sign of the byte picked,
which is 0 in 7 bits. So one permutation of the first eight entries and one of the last eight, by nibbles whose fourth
bits are flipped, add up to the entries asked for.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from dimco.search.kernels.torch_codes import Piece

MOST_COLUMNS = 64
_BLOCKS, _WARPS = 64, 4


@triton.jit  # type: ignore[untyped-decorator]
def _picked(low, high, nibbles, PERMUTED: tl.constexpr):  # type: ignore[no-untyped-def]
    """Bytes of the eight in `low` and `high` by the four lowest nibbles, 0 for those of 8 and more."""
    if PERMUTED:
        return tl.inline_asm_elementwise(
            "prmt.b32 $0, $1, $2, $3;", "=r,r,r,r", [low, high, nibbles], dtype=tl.int32, is_pure=True, pack=1
        )
    found = nibbles & 0
    for place in tl.static_range(4):
        nibble = nibbles >> (4 * place) & 15
        half = tl.where((nibble & 4) == 0, low, high) >> (8 * (nibble & 3)) & 255
        found |= tl.where(nibble < 8, half, 0) << (8 * place)
    return found


@triton.jit  # type: ignore[untyped-decorator]
def _looked_up(stored, flipped, table, PERMUTED: tl.constexpr):  # type: ignore[no-untyped-def]
    """The entries of four nibbles, a byte each."""
    first = _picked(tl.load(table), tl.load(table + 1), stored, PERMUTED)
    return first + _picked(tl.load(table + 2), tl.load(table + 3), flipped, PERMUTED)


@triton.jit
def _smallest_half(pairs):  # type: ignore[no-untyped-def]
    return tl.minimum(pairs & 0xFFFF, pairs >> 16 & 0xFFFF)


@triton.jit  # type: ignore[untyped-decorator]
def smallest_sums(words, tables, block, inside, COLUMNS: tl.constexpr, PERMUTED: tl.constexpr):  # type: ignore[no-untyped-def]
    """Of some blocks and one query. Two columns are added in bytes, 2 x 127 at most, and then in 16 bits."""
    first = words + block[:, None] * (COLUMNS * 8) + tl.arange(0, 8)[None, :]
    even_low = tl.zeros((block.shape[0], 8), tl.int32)
    odd_low, even_high, odd_high = even_low, even_low, even_low
    for pair in tl.static_range((COLUMNS + 1) // 2):
        stored = tl.load(first + 2 * pair * 8, mask=inside[:, None], other=0)
        flipped = stored ^ -0x77777778
        table = tables + 2 * pair * 4
        low = _looked_up(stored, flipped, table, PERMUTED)
        high = _looked_up(stored >> 16, flipped >> 16, table, PERMUTED)
        if 2 * pair + 1 < COLUMNS:
            stored = tl.load(first + (2 * pair + 1) * 8, mask=inside[:, None], other=0)
            flipped = stored ^ -0x77777778
            low += _looked_up(stored, flipped, table + 4, PERMUTED)
            high += _looked_up(stored >> 16, flipped >> 16, table + 4, PERMUTED)
        even_low += low & 0x00FF00FF
        odd_low += low >> 8 & 0x00FF00FF
        even_high += high & 0x00FF00FF
        odd_high += high >> 8 & 0x00FF00FF
    low = tl.minimum(_smallest_half(even_low), _smallest_half(odd_low))
    high = tl.minimum(_smallest_half(even_high), _smallest_half(odd_high))
    return tl.min(tl.minimum(low, high), axis=1)


@triton.jit  # type: ignore[untyped-decorator]
def smallest_rounded(  # type: ignore[no-untyped-def]
    words,
    tables,
    minima,
    blocks,
    COLUMNS: tl.constexpr,
    PERMUTED: tl.constexpr,
    BLOCKS: tl.constexpr,
):
    """The smallest sum in every block."""
    block = tl.program_id(0).to(tl.int64) * BLOCKS + tl.arange(0, BLOCKS)
    inside = block < blocks
    tl.store(minima + block, smallest_sums(words, tables, block, inside, COLUMNS, PERMUTED), mask=inside)


@triton.jit  # type: ignore[untyped-decorator]
def append_blocks(  # type: ignore[no-untyped-def]
    words,
    tables,
    most,
    found,
    counts,
    blocks,
    CAPACITY: tl.constexpr,
    COLUMNS: tl.constexpr,
    PERMUTED: tl.constexpr,
    BLOCKS: tl.constexpr,
):
    """Blocks with a sum of at most `most`, in any order; the first count goes on past what fits into `found`."""
    block = tl.program_id(0).to(tl.int64) * BLOCKS + tl.arange(0, BLOCKS)
    inside = block < blocks
    near = inside & (smallest_sums(words, tables, block, inside, COLUMNS, PERMUTED) <= tl.load(most))
    place = tl.atomic_add(counts + tl.zeros((BLOCKS,), tl.int32), 1, mask=near, sem="relaxed")
    tl.store(found + place, block.to(tl.int32), mask=near & (place < CAPACITY))


def rounded_minima(piece: Piece, rounded: Tensor) -> Tensor:
    """The smallest sum of rounded losses in every block, of all its rows, for every query: int32, (Q, blocks).

    Parameters
    ----------
    piece : Piece
        Of nibbles, `MOST_COLUMNS` at most.
    rounded : Tensor of uint8, shape (Q, columns, 16)
        At most 127 each.
    """
    queries, columns, _ = rounded.shape
    blocks = len(piece.blocks)
    words = piece.blocks.view(torch.int32)
    tables = rounded.contiguous().view(torch.int32)
    minima = torch.empty((queries, blocks), dtype=torch.int32, device=rounded.device)
    with torch.cuda.device_of(rounded):
        for query in range(queries):
            smallest_rounded[(triton.cdiv(blocks, _BLOCKS),)](
                words,
                tables[query],
                minima[query],
                blocks,
                COLUMNS=columns,
                PERMUTED=rounded.device.type == "cuda" and torch.version.hip is None,
                BLOCKS=_BLOCKS,
                num_warps=_WARPS,
            )
    return minima
