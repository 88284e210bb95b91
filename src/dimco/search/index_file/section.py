"""Sections: the parts of an index file that hold arrays, and where they lie."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

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


def table_of(checksums: list[int]) -> bytes:
    """The CRCs of a section's chunks as they are stored."""
    return struct.pack(f"<{len(checksums)}I", *checksums)
