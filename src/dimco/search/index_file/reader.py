"""Opening an index file: its header and directory are read, the rest is mapped."""

from __future__ import annotations

import json
import mmap
import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dimco.errors import DamagedFileError, FileError, ForeignFileError, MissingFileError
from dimco.search.index_file.directory import MAX_LENGTH, Directory, StoredNames, decode_directory
from dimco.search.index_file.header import MAGIC, SLOT, SLOTS, Header, current
from dimco.search.index_file.home import Home
from dimco.search.index_file.section import Section, checksum_of
from dimco.search.labels import LabelNames
from dimco.search.layout import Layout
from dimco.search.segment import Segment
from dimco.search.snapshot import Snapshot

_LABEL_TYPE = {"int": "<i8", "str": "<i4", None: "<i8"}


@dataclass(frozen=True, slots=True)
class StoredIndex:
    """An index file, opened: its header, its directory, and its committed bytes, mapped."""

    path: Path
    header: Header
    directory: Directory
    bytes: memoryview


def is_index(path: str | Path) -> bool:
    """Whether a file starts as index files do, in either copy of the header."""
    with _opened(Path(path)) as descriptor:
        return MAGIC in (os.pread(descriptor, len(MAGIC), start) for start in (0, SLOT))


def open_index(path: str | Path) -> tuple[Snapshot, Home]:
    """The index in a file, its arrays mapped, and where it is."""
    stored = open_stored(path)
    header, directory = stored.header, stored.directory
    layout = Layout(header.spec)
    segments = []
    for entry in directory.segments:
        arrays = {name: _array(stored, section, directory.label_kind, name) for name, section in entry.sections.items()}
        segments.append(
            Segment(
                layout,
                arrays["blocks"],
                entry.rows,
                arrays["ids"] if entry.first is None else entry.first,
                arrays.get("labels"),
                arrays.get("keep"),
                entry.live,
                entry.sections,
            )
        )
    names = LabelNames(lambda: [name for part in directory.names for name in read_names(stored, part)])
    snapshot = Snapshot(layout, tuple(segments), directory.next_id, directory.label_kind, names)
    home = Home(os.path.realpath(path), header.file, header.commit, directory.names)
    return snapshot, home


def open_stored(path: str | Path) -> StoredIndex:
    """Read the header and the directory of an index file, and map it."""
    path = Path(path)
    with _opened(path) as descriptor:
        header = read_header(descriptor, path)
        directory = _read_directory(descriptor, header, path)
        try:
            mapped = mmap.mmap(descriptor, header.end, access=mmap.ACCESS_READ)
        except ValueError as error:
            raise DamagedFileError(f"{path} is damaged: it was cut while it was opened") from error
    return StoredIndex(path, header, directory, memoryview(mapped))


def read_header(descriptor: int, path: str | Path) -> Header:
    """The header in force; read again while a commit of another process changes it under the reading."""
    seen = None
    while True:
        now = os.pread(descriptor, SLOTS, 0), os.fstat(descriptor).st_size
        try:
            return current(*now, path)
        except FileError:
            if now == seen:
                raise
            seen = now


def read_names(stored: StoredIndex, names: StoredNames) -> list[str]:
    """One list of label names."""
    section = names.section
    data = bytes(stored.bytes[section.offset : section.offset + section.length])
    if checksum_of(memoryview(data)) != section.checksum:
        raise DamagedFileError(f"{stored.path} is damaged: its label names do not match their checksum")
    try:
        found = json.loads(data)
        if isinstance(found, list) and len(found) == names.count and all(isinstance(name, str) for name in found):
            return found
    except (ValueError, RecursionError):
        pass
    raise DamagedFileError(f"{stored.path} is damaged: its label names cannot be read")


def _read_directory(descriptor: int, header: Header, path: Path) -> Directory:
    start, length = header.directory_offset, header.directory_length
    if length > MAX_LENGTH or start < SLOTS or start + length != header.end:
        raise DamagedFileError(f"{path} is damaged: its directory cannot be {length} bytes at {start}")
    data = os.pread(descriptor, length, start)
    if len(data) != length or zlib.crc32(data) != header.directory_checksum:
        raise DamagedFileError(f"{path} is damaged: its directory does not match its checksum")
    try:
        return decode_directory(data, Layout(header.spec), header.file, start)
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DamagedFileError(f"{path} is damaged: its directory holds {error}") from error


def _array(stored: StoredIndex, section: Section, kind: str | None, name: str) -> Any:
    kinds = {"blocks": "u1", "ids": "<i8", "keep": "<u8", "labels": _LABEL_TYPE[kind]}
    part = stored.bytes[section.offset : section.offset + section.length]
    return np.frombuffer(part, dtype=kinds[name])


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    """A descriptor of a regular file, open for reading."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise ForeignFileError(f"expected a dimco index file; {path} is a folder")
        if not stat.S_ISREG(mode):
            raise ForeignFileError(f"expected a dimco index file; {path} is not a regular file")
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    except FileNotFoundError as error:
        raise MissingFileError(f"no such file: {path}") from error
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror}") from error
    try:
        yield descriptor
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror}") from error
    finally:
        os.close(descriptor)
