"""Reading all of an index file and comparing it with its checksums and with itself."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dimco.errors import DamagedFileError
from dimco.search.bitmap import holds
from dimco.search.index_file.describe import description
from dimco.search.index_file.reader import StoredIndex, open_index, open_stored, read_names
from dimco.search.index_file.section import CHUNK, Section, chunks
from dimco.search.layout import BLOCK
from dimco.search.segment import Segment
from dimco.search.snapshot import Snapshot

_ROWS = 1 << 16


def check(path: str | Path) -> dict[str, Any]:
    """Verify every byte of an index file that an answer can depend on.

    Returns
    -------
    dict
        As `describe`, with `checked_bytes`.

    Raises
    ------
    DamagedFileError
        It names the first thing that is damaged.
    """
    stored = open_stored(path)
    for name, section in stored.directory.sections():
        _check_section(stored, name, section)
    found = [name for names in stored.directory.names for name in read_names(stored, names)]
    if len(set(found)) != len(found):
        raise DamagedFileError(f"{path} is damaged: a label name stands in it twice")
    for number, what in _contradictions(open_index(path)[0]):
        raise DamagedFileError(f"{path} is damaged: segment {number} has {what}")
    sections = [section for _, section in stored.directory.sections()]
    return {**description(stored), "checked_bytes": sum(section.length for section in sections)}


def _check_section(stored: StoredIndex, name: str, section: Section) -> None:
    start = section.offset + section.length
    table = stored.bytes[start : start + section.table_length]
    if zlib.crc32(table) != section.checksum:
        raise DamagedFileError(f"{stored.path} is damaged: the checksums of {name} do not match their own")
    expected = struct.unpack(f"<{len(table) // 4}I", table)
    data = stored.bytes[section.offset : start]
    for number, chunk in enumerate(chunks(data)):
        if zlib.crc32(chunk) != expected[number]:
            first = section.offset + number * CHUNK
            raise DamagedFileError(
                f"{stored.path} is damaged: {name}, bytes {first} to {first + len(chunk) - 1} of the file, do not "
                "match their checksum"
            )


def _contradictions(snapshot: Snapshot) -> Iterator[tuple[int, str]]:
    """What no checksum finds: a file that was written wrong."""
    for number, segment in enumerate(snapshot.segments):
        for what in _contradictions_within(segment, len(snapshot.names)):
            yield number, what
        if segment.last_id >= snapshot.next_id:
            yield number, f"an id {segment.last_id} at or above the next id"
    ranges = sorted((int(segment.ids_at(np.array([0]))[0]), segment.last_id) for segment in snapshot.segments)
    apart = all(one[1] < other[0] for one, other in pairwise(ranges))
    if not apart and not _increases(snapshot.live_ids()[0]):
        yield len(snapshot.segments) - 1, "an id that another segment has too"


def _contradictions_within(segment: Segment, names: int) -> Iterator[str]:
    if isinstance(segment.ids, np.ndarray) and (segment.ids[0] < 0 or not _increases(segment.ids)):
        yield "ids that do not increase"
    if segment.keep is not None and _kept(segment) != segment.live:
        yield "another number of items than it says"
    labels = segment.labels
    if labels is not None and labels.dtype.itemsize == 4 and not 0 <= labels.min() <= labels.max() < names:
        yield "a label at a place that has no name"
    layout = segment.layout
    for start in range(0, segment.rows, _ROWS):
        rows = min(_ROWS, segment.rows - start)
        first = start // BLOCK * layout.block_bytes
        symbols = layout.unpack(segment.blocks[first : first + layout.nbytes(rows)], rows)
        if symbols.max() >= layout.spec.k:
            yield f"a symbol {symbols.max()} where k is {layout.spec.k}"


def _kept(segment: Segment) -> int:
    every = range(0, segment.rows, _ROWS)
    return sum(int(holds(segment.keep, np.arange(first, min(first + _ROWS, segment.rows))).sum()) for first in every)


def _increases(ids: NDArray[np.int64]) -> bool:
    return bool((ids[1:] > ids[:-1]).all())
