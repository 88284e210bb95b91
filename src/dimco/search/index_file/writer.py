"""Writing an index file: a whole new one, or a commit after what a file holds."""

from __future__ import annotations

import os
import secrets
import zlib
from collections.abc import Callable
from contextlib import suppress

from dimco.atomic import atomic_path
from dimco.search.index_file.directory import Directory, encode_directory
from dimco.search.index_file.header import SLOTS, Header, encode_slot, write_order
from dimco.search.index_file.section import Section, aligned, chunks, table_of
from dimco.spec import CodeSpec

_TAIL = bytes(64)


class SectionWriter:
    """Writes sections one after another.

    Parameters
    ----------
    descriptor : int
    file : str
        The file's name for itself.
    end : int
        Where what is there ends.
    """

    def __init__(self, descriptor: int, file: str, end: int) -> None:
        self._descriptor, self.file, self.end = descriptor, file, end

    def write(self, data: memoryview) -> Section:
        """Write a section: its bytes and its table of checksums."""
        offset = place = aligned(self.end)
        checksums = []
        for chunk in chunks(data):
            checksums.append(zlib.crc32(chunk))
            _write(self._descriptor, chunk, place)
            place += len(chunk)
        table = table_of(checksums)
        _write(self._descriptor, table, place)
        self.end = place + len(table)
        return Section(self.file, offset, len(data), zlib.crc32(table))

    def close(self, directory: Directory, spec: CodeSpec, generation: int) -> Header:
        """Write the directory, and give the header that refers to it."""
        data = encode_directory(directory)
        offset = aligned(self.end)
        _write(self._descriptor, data, offset)
        self.end = offset + len(data)
        live = sum(segment.live for segment in directory.segments)
        rows = sum(segment.rows for segment in directory.segments)
        place = (offset, len(data), zlib.crc32(data))
        return Header(spec, self.file, _random_name(), generation, self.end, *place, live, rows - live)


Fill = Callable[[SectionWriter], Directory]


def write_file(path: str, spec: CodeSpec, fill: Fill) -> Header:
    """Write a new file in place of any that is there, atomically; `fill` writes its sections."""
    with atomic_path(path) as temporary:
        descriptor = os.open(temporary, os.O_WRONLY | getattr(os, "O_BINARY", 0))
        try:
            writer = SectionWriter(descriptor, _random_name(), SLOTS)
            header = writer.close(fill(writer), spec, generation=1)
            _write(descriptor, encode_slot(header) * 2, 0)
        finally:
            os.close(descriptor)
    return header


def append(descriptor: int, path: str, header: Header, fill: Fill) -> Header:
    """Commit what `fill` writes after the committed part of a file, whose header is given.

    Everything is on disk past the old end before a slot of the header changes, and one slot is on disk before the
    other changes, the one in force last. Until both say the same the file is longer than they say.
    """
    size, order = os.fstat(descriptor).st_size, write_order(os.pread(descriptor, SLOTS, 0), header, path)
    try:
        writer = SectionWriter(descriptor, header.file, header.end)
        new = writer.close(fill(writer), header.spec, header.generation + 1)
        _write(descriptor, _TAIL, new.end)
        os.fsync(descriptor)
    except BaseException:
        with suppress(OSError):
            os.ftruncate(descriptor, size)
        raise
    for place in order:
        _write(descriptor, encode_slot(new), place)
        os.fsync(descriptor)
    os.ftruncate(descriptor, new.end)
    os.fsync(descriptor)
    return new


def _write(descriptor: int, data: bytes | memoryview, place: int) -> None:
    left = memoryview(data)
    while left:
        written = os.pwrite(descriptor, left, place)
        left, place = left[written:], place + written


def _random_name() -> str:
    return secrets.token_hex(8)
