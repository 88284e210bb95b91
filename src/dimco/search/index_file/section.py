"""Sections: the parts of an index file that hold arrays, and where they lie."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

ALIGNMENT = 64
CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Section:
    """An array in a file: its bytes, then the CRC-32 of every MiB of them, little endian.

    Attributes
    ----------
    file : str
        The file it is in, by the name in that file's header.
    offset, length : int
        Where its bytes are; `offset` is a multiple of 64.
    checksum : int
        CRC-32 of the table of CRCs.
    """

    file: str
    offset: int
    length: int
    checksum: int

    @property
    def table_length(self) -> int:
        """Bytes of the table of CRCs."""
        return 4 * -(-self.length // CHUNK)

    @property
    def end(self) -> int:
        """The first byte after the section and its table."""
        return self.offset + self.length + self.table_length


def aligned(offset: int) -> int:
    """The next place where a section may start."""
    return -(-offset // ALIGNMENT) * ALIGNMENT


def chunks(data: memoryview) -> Iterator[memoryview]:
    """The parts of a section that have a CRC each."""
    for start in range(0, len(data), CHUNK):
        yield data[start : start + CHUNK]


def bytes_of(array: NDArray[np.generic]) -> memoryview:
    """An array's bytes as a section holds them: little endian."""
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).data.cast("B")


def checksum_of(data: memoryview) -> int:
    """What `Section.checksum` is for these bytes."""
    return zlib.crc32(table_of([zlib.crc32(chunk) for chunk in chunks(data)]))


def table_of(checksums: list[int]) -> bytes:
    """The CRCs of a section's chunks as they are stored."""
    return struct.pack(f"<{len(checksums)}I", *checksums)
