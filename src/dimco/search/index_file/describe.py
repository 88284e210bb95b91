"""What an index file holds, from its header and directory alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dimco.search.index_file.header import SLOTS
from dimco.search.index_file.reader import StoredIndex, open_stored

KIND = "index"


def describe(path: str | Path) -> dict[str, Any]:
    """What an index file holds, for people; quick whatever its size."""
    return description(open_stored(path))


def description(stored: StoredIndex) -> dict[str, Any]:
    """What an opened index file holds.

    `index_bytes` is what the blocks of codes take as they are searched, `packed_bytes` what the items would take as
    bit-packed `Codes`, and `unused_bytes` what compaction would give back of the space between sections.
    """
    header, directory = stored.header, stored.directory
    sections = [section for _, section in directory.sections()]
    firsts = {segment.first is None for segment in directory.segments}
    used = sum(section.end - section.offset for section in sections) + header.directory_length
    return {
        "kind": KIND,
        "code": str(header.spec),
        "k": header.spec.k,
        "d": header.spec.d,
        "bits": header.spec.bits,
        "items": header.items,
        "removed": header.removed,
        "labels": directory.label_kind,
        "classes": sum(names.count for names in directory.names) if directory.label_kind == "str" else None,
        "ids": {(): "none", (False,): "consecutive", (True,): "given"}.get(tuple(firsts), "mixed"),
        "next_id": directory.next_id,
        "index_bytes": sum(segment.sections["blocks"].length for segment in directory.segments),
        "packed_bytes": (header.items * header.spec.bits + 7) // 8,
        "unused_bytes": max(0, header.end - SLOTS - used),
        "segments": len(directory.segments),
        "generation": header.generation,
    }
