"""The directory of an index file: JSON that lists its segments and where the arrays of each lie."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dimco.search.index_file.header import SLOTS
from dimco.search.index_file.section import ALIGNMENT, Section
from dimco.search.labels import LabelKind
from dimco.search.layout import BLOCK, Layout

MAX_LENGTH = 1 << 26
_LABEL_BYTES = {"int": 8, "str": 4}
_ROW_LIMIT = 1 << 48


@dataclass(frozen=True, slots=True)
class StoredSegment:
    """Where a segment's arrays lie: "blocks", and as far as it has them "ids", "labels" and "keep".

    Attributes
    ----------
    rows, live : int
    first : int or None
        The first of consecutive ids, where there is no section of them.
    sections : mapping of str to Section
    """

    rows: int
    live: int
    first: int | None
    sections: Mapping[str, Section]


@dataclass(frozen=True, slots=True)
class StoredNames:
    """A JSON list of label names, which come after those of the lists before it."""

    count: int
    section: Section


@dataclass(frozen=True, slots=True)
class Directory:
    """What the directory of an index file says."""

    next_id: int
    label_kind: LabelKind | None
    names: tuple[StoredNames, ...]
    segments: tuple[StoredSegment, ...]

    def sections(self) -> list[tuple[str, Section]]:
        """Every section, with a name that a person understands."""
        named = [(f"label names {number}", names.section) for number, names in enumerate(self.names)]
        for number, segment in enumerate(self.segments):
            named += [(f"{name} of segment {number}", section) for name, section in segment.sections.items()]
        return named


def encode_directory(directory: Directory) -> bytes:
    """The directory as JSON."""
    segments = [
        {
            "rows": segment.rows,
            "live": segment.live,
            "first": segment.first,
            **{name: _place(section) for name, section in segment.sections.items()},
        }
        for segment in directory.segments
    ]
    names = [{"count": names.count, "section": _place(names.section)} for names in directory.names]
    record = {"next_id": directory.next_id, "labels": directory.label_kind, "names": names, "segments": segments}
    return json.dumps(record, separators=(",", ":")).encode()


def decode_directory(data: bytes, layout: Layout, file: str, limit: int) -> Directory:
    """The directory in `data`, with every number checked; sections must end before `limit`.

    Raises
    ------
    ValueError, KeyError, TypeError, RecursionError
        It contradicts itself.
    """
    record = json.loads(data)
    kind = record["labels"]
    if kind not in {None, "int", "str"}:
        raise ValueError(f"labels of type {kind}")
    names = tuple(
        StoredNames(_integer(entry["count"], 1), _section(entry["section"], file, limit, None))
        for entry in record["names"]
    )
    segments = tuple(_segment(entry, kind, layout, file, limit) for entry in record["segments"])
    return Directory(_integer(record["next_id"]), kind, names, segments)


def _segment(entry: dict[str, Any], kind: LabelKind | None, layout: Layout, file: str, limit: int) -> StoredSegment:
    rows = _integer(entry["rows"], 1, _ROW_LIMIT)
    first = entry["first"]
    lengths = {"blocks": layout.nbytes(rows)}
    if first is None:
        lengths["ids"] = 8 * rows
    else:
        _integer(first, 0, (1 << 63) - 1 - rows)
    if kind is not None:
        lengths["labels"] = _LABEL_BYTES[kind] * rows
    live = _integer(entry["live"], 1, rows)
    if live < rows:
        lengths["keep"] = 8 * -(-rows // BLOCK)
    sections = {name: _section(entry[name], file, limit, length) for name, length in lengths.items()}
    return StoredSegment(rows, live, first, sections)


def _section(entry: list[int], file: str, limit: int, length: int | None) -> Section:
    offset, stored, checksum = entry
    section = Section(file, _integer(offset, SLOTS, limit), _integer(stored, 1, limit), _integer(checksum, 0, 1 << 32))
    if offset % ALIGNMENT or section.end > limit or (length is not None and length != stored):
        raise ValueError(f"a section at {offset} of {stored} bytes")
    return section


def _place(section: Section) -> list[int]:
    return [section.offset, section.length, section.checksum]


def _integer(value: Any, low: int = 0, high: int = (1 << 63) - 1) -> int:
    if type(value) is not int or not low <= value <= high:
        raise ValueError(f"{value!r} where a whole number from {low} to {high} belongs")
    return value
