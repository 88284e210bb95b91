"""Saving an index: what is new after what its file holds, or the whole into a new file."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

from dimco.errors import DimcoError, FileError
from dimco.search.index_file.directory import Directory, StoredNames, StoredSegment
from dimco.search.index_file.header import Header
from dimco.search.index_file.home import Home
from dimco.search.index_file.lock import is_still, locked
from dimco.search.index_file.reader import read_header
from dimco.search.index_file.section import bytes_of
from dimco.search.index_file.writer import SectionWriter, append, write_file
from dimco.search.segment import Segment, altered
from dimco.search.snapshot import Snapshot


def save_index(path: str | Path, snapshot: Snapshot, home: Home | None) -> tuple[Snapshot, Home]:
    """Write a snapshot to a file, and give it with the places of its arrays in that file, and the file."""
    target = os.path.realpath(path)
    known = home if home is not None and home.path == target else None
    adds = known is not None and not known.rewrite
    try:
        with locked(target, os.O_RDWR if adds else os.O_RDONLY) as descriptor:
            header = None
            if known is not None and descriptor is not None:
                header = _unchanged(descriptor, known)
            if adds and known is not None and descriptor is not None and header is not None:
                filling = _Filling(snapshot, known.names)
                header = append(descriptor, target, header, filling)
            else:
                filling = _Filling(snapshot, ())
                header = write_file(target, snapshot.layout.spec, filling)
    except DimcoError:
        raise
    except OSError as error:
        raise FileError(f"cannot write {path}: {error.strerror or error}") from error
    stored = replace(snapshot, segments=tuple(filling.segments))
    return stored, Home(target, header.file, header.commit, filling.names)


def _unchanged(descriptor: int, home: Home) -> Header:
    """The header of the file at home, which must be the one this index knows."""
    header = read_header(descriptor, home.path)
    if (header.file, header.commit) != (home.file, home.commit) or not is_still(descriptor, home.path):
        raise FileError(
            f"cannot write {home.path}: it was changed since this index was opened or saved; open it again, "
            "or save to another path"
        )
    return header


class _Filling:
    """Writes what a file lacks of a snapshot, and remembers where everything then is.

    Parameters
    ----------
    snapshot : Snapshot
    names : tuple of StoredNames
        Label names the file holds already.
    """

    def __init__(self, snapshot: Snapshot, names: tuple[StoredNames, ...]) -> None:
        self._snapshot, self.names = snapshot, names
        self.segments: list[Segment] = []

    def __call__(self, writer: SectionWriter) -> Directory:
        snapshot = self._snapshot
        self.names = self._write_names(writer) if snapshot.label_kind == "str" else ()
        self.segments = [_write_segment(writer, segment) for segment in snapshot.segments]
        entries = [
            StoredSegment(
                segment.rows, segment.live, segment.ids if isinstance(segment.ids, int) else None, segment.stored
            )
            for segment in self.segments
        ]
        return Directory(snapshot.next_id, snapshot.label_kind, self.names, tuple(entries))

    def _write_names(self, writer: SectionWriter) -> tuple[StoredNames, ...]:
        new = self._snapshot.names.since(sum(names.count for names in self.names))
        if not new:
            return self.names
        section = writer.write(memoryview(json.dumps(list(new)).encode()))
        return (*self.names, StoredNames(len(new), section))


def _write_segment(writer: SectionWriter, segment: Segment) -> Segment:
    stored = {}
    for name, array in segment.arrays():
        known = segment.stored.get(name)
        if known is not None and known.file == writer.file:
            stored[name] = known
            continue
        stored[name] = writer.write(bytes_of(array))
        if known is not None and stored[name].checksum != known.checksum:
            raise altered(name, known)
    return replace(segment, stored=stored)
