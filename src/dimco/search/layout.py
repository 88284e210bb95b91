"""The blocked layout that the scan kernels read: 64 items a block, position after position.

What is stored for one position, or for a few short ones together, is a column: a nibble, a byte or two
bytes an item. A block holds its columns one after another, so one vector register takes one column of
64 items.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dimco.spec import CodeSpec

BLOCK = 64
_HALF = BLOCK // 2
_CHUNK_BYTES = 1 << 22


@dataclass(frozen=True, slots=True)
class Layout:
    """How codes of one shape lie in blocks.

    Parameters
    ----------
    spec : CodeSpec
        The shape of the codes.

    Notes
    -----
    With k = 2 four positions share a nibble, with k = 3 and 4 two do; the first of them is in the lowest bits.
    Up to 16 symbols take a nibble, up to 256 a byte, more take two bytes, little endian. In a column of nibbles,
    byte j holds item j below and item 32 + j above. Unused bits and the items that fill the last block are zero.

    Examples
    --------
    >>> layout = Layout(CodeSpec(k=2, d=64))
    >>> layout.bits, layout.group, layout.columns, layout.block_bytes
    (4, 4, 16, 512)
    """

    spec: CodeSpec

    @property
    def bits(self) -> int:
        """Bits a column takes an item: 4, 8 or 16."""
        return 4 if self.spec.k <= 16 else 8 if self.spec.k <= 256 else 16

    @property
    def group(self) -> int:
        """Positions that share a column."""
        return 4 // self.spec.bits_per_symbol if self.spec.k <= 4 else 1

    @property
    def columns(self) -> int:
        """Columns of a block."""
        return -(-self.spec.d // self.group)

    @property
    def block_bytes(self) -> int:
        """Bytes of a block."""
        return self.columns * BLOCK * self.bits // 8

    def nbytes(self, rows: int) -> int:
        """Bytes that `rows` items take."""
        return -(-rows // BLOCK) * self.block_bytes

    def empty(self, rows: int) -> NDArray[np.uint8]:
        """Memory for `rows` items, not yet written, that starts on a cache line."""
        size = self.nbytes(rows)
        memory = np.empty(size + BLOCK, dtype=np.uint8)
        start = -memory.ctypes.data % BLOCK
        return memory[start : start + size]

    def pack(self, symbols: NDArray[np.unsignedinteger]) -> NDArray[np.uint8]:
        """The blocks, flat, of symbols of shape (N, d) that are below k."""
        rows = len(symbols)
        packed = self.empty(rows)
        blocks = packed.reshape(-1, self.block_bytes)
        chunk = self._blocks_a_chunk()
        for first in range(0, len(blocks), chunk):
            items = symbols[first * BLOCK : (first + chunk) * BLOCK]
            blocks[first : first + chunk] = self._pack_chunk(items)
        return packed

    def unpack(self, blocks: NDArray[np.uint8], rows: int) -> NDArray[np.unsignedinteger]:
        """The symbols, of shape (rows, d), of the first `rows` items."""
        symbols = np.empty((rows, self.spec.d), dtype=self.spec.dtype)
        whole = blocks.reshape(-1, self.block_bytes)
        chunk = self._blocks_a_chunk()
        for first in range(0, -(-rows // BLOCK), chunk):
            items = symbols[first * BLOCK : (first + chunk) * BLOCK]
            items[:] = self._unpack_chunk(whole[first : first + chunk])[: len(items)]
        return symbols

    def take(self, blocks: NDArray[np.uint8], rows: NDArray[np.int64]) -> NDArray[np.unsignedinteger]:
        """The symbols, of shape (len(rows), d), of the items at `rows`."""
        symbols = np.empty((len(rows), self.spec.d), dtype=self.spec.dtype)
        chunk = self._blocks_a_chunk() * BLOCK
        for first in range(0, len(rows), chunk):
            symbols[first : first + chunk] = self._take_chunk(blocks, rows[first : first + chunk])
        return symbols

    def _blocks_a_chunk(self) -> int:
        return max(1, _CHUNK_BYTES // (BLOCK * self.spec.d))

    def _pack_chunk(self, symbols: NDArray[np.unsignedinteger]) -> NDArray[np.uint8]:
        count = -(-len(symbols) // BLOCK)
        joined = np.zeros((count * BLOCK, self.columns), dtype=self._stored)
        for place in range(self.group):
            part = symbols[:, place :: self.group]
            joined[: len(symbols), : part.shape[1]] |= part.astype(self._stored) << (place * self._symbol_bits)
        by_column = joined.reshape(count, BLOCK, self.columns).transpose(0, 2, 1)
        if self.bits == 4:
            by_column = by_column[..., :_HALF] | (by_column[..., _HALF:] << 4)
        return np.ascontiguousarray(by_column).view(np.uint8).reshape(count, self.block_bytes)

    def _unpack_chunk(self, blocks: NDArray[np.uint8]) -> NDArray[np.unsignedinteger]:
        if self.bits == 4:
            halves = blocks.reshape(len(blocks), self.columns, _HALF)
            columns = np.concatenate([halves & 15, halves >> 4], axis=2)
        else:
            columns = np.ascontiguousarray(blocks).view(self._stored).reshape(len(blocks), self.columns, BLOCK)
        return self._split(np.ascontiguousarray(columns.transpose(0, 2, 1)).reshape(-1, self.columns))

    def _take_chunk(self, blocks: NDArray[np.uint8], rows: NDArray[np.int64]) -> NDArray[np.unsignedinteger]:
        width = BLOCK * self.bits // 8
        block, place = rows // BLOCK, rows % BLOCK
        starts = (block * self.block_bytes)[:, None] + np.arange(self.columns) * width
        if self.bits == 4:
            pairs = blocks[starts + (place % _HALF)[:, None]]
            return self._split((pairs >> (place // _HALF * 4).astype(np.uint8)[:, None]) & 15)
        low = starts + (self.bits // 8 * place)[:, None]
        symbols: NDArray[np.unsignedinteger] = blocks[low]
        if self.bits == 16:
            symbols = symbols.astype(np.uint16) | (blocks[low + 1].astype(np.uint16) << 8)
        return symbols

    def _split(self, columns: NDArray[np.unsignedinteger]) -> NDArray[np.unsignedinteger]:
        """Columns of shape (items, columns) to the symbols of every position."""
        if self.group == 1:
            return columns
        shifts = np.arange(self.group, dtype=np.uint8) * np.uint8(self._symbol_bits)
        symbols = (columns[:, :, None] >> shifts) & np.uint8((1 << self._symbol_bits) - 1)
        return symbols.reshape(len(columns), -1)[:, : self.spec.d]

    @property
    def _symbol_bits(self) -> int:
        return 4 // self.group

    @property
    def _stored(self) -> np.dtype[np.unsignedinteger]:
        return np.dtype("<u2" if self.bits == 16 else np.uint8)
