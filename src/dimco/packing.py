"""Symbols to bits and back: w bits a symbol, most significant bit first, no padding between symbols.

Eight symbols of w bits fill exactly w bytes, so the stream is handled as a table of w-byte rows and
each of the eight lanes is moved by a few whole-column operations.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_LANES = 8


def packed_size(count: int, width: int) -> int:
    """Bytes that `count` symbols of `width` bits take."""
    return (count * width + 7) // 8


def pack_symbols(symbols: NDArray[np.unsignedinteger], width: int) -> NDArray[np.uint8]:
    """Pack a flat array of symbols below 2**width into bytes."""
    groups = -(-len(symbols) // _LANES)
    lanes = np.zeros((groups, _LANES), dtype=np.uint32)
    lanes.reshape(-1)[: len(symbols)] = symbols
    rows = np.zeros((groups, width), dtype=np.uint8)
    for lane in range(_LANES):
        for byte, shift in _bytes_of_lane(lane, width):
            part = lanes[:, lane] << shift if shift >= 0 else lanes[:, lane] >> -shift
            rows[:, byte] |= part.astype(np.uint8)
    return rows.reshape(-1)[: packed_size(len(symbols), width)]


def unpack_symbols(packed: NDArray[np.uint8], count: int, width: int) -> NDArray[np.uint32]:
    """The first `count` symbols of `width` bits in `packed`."""
    groups = -(-count // _LANES)
    rows = np.zeros((groups, width), dtype=np.uint8)
    rows.reshape(-1)[: packed_size(count, width)] = packed[: packed_size(count, width)]
    lanes = np.zeros((groups, _LANES), dtype=np.uint32)
    mask = np.uint32((1 << width) - 1)
    for lane in range(_LANES):
        for byte, shift in _bytes_of_lane(lane, width):
            part = rows[:, byte].astype(np.uint32)
            lanes[:, lane] |= part >> shift if shift >= 0 else part << -shift
        lanes[:, lane] &= mask
    return lanes.reshape(-1)[:count]


def _bytes_of_lane(lane: int, width: int) -> list[tuple[int, int]]:
    """(byte of the row, left shift that brings the symbol's bits into that byte) for one lane."""
    start, end = lane * width, (lane + 1) * width
    return [(byte, 8 * (byte + 1) - end) for byte in range(start // 8, (end - 1) // 8 + 1)]


def gather_symbols(packed: NDArray[np.uint8], where: NDArray[np.int64], width: int) -> NDArray[np.uint32]:
    """The symbols at the places `where` of the stream, whatever their order."""
    start = where * width
    first, last = start >> 3, len(packed) - 1
    window = np.zeros(where.shape, dtype=np.uint32)
    for offset in range(3):  # a symbol of at most 16 bits touches at most three bytes
        window = (window << np.uint32(8)) | packed[np.minimum(first + offset, last)]
    shift = (24 - width - (start & 7)).astype(np.uint32)
    return (window >> shift) & np.uint32((1 << width) - 1)
