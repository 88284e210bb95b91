"""A run of items that never changes: their codes in blocks, ids, labels, and which of them are still there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dimco.codes import Codes
from dimco.errors import DamagedFileError
from dimco.search.bitmap import Words, holds, rows_in, words_without
from dimco.search.index_file.section import Section, bytes_of, checksum_of
from dimco.search.items import pack_rows
from dimco.search.labels import Labels
from dimco.search.layout import BLOCK, Layout
from dimco.search.scan import ScanSegment

Ids = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Segment:
    """Items of one layout, in the order of their ids.

    Attributes
    ----------
    layout : Layout
    blocks : ndarray of uint8, flat
    rows : int
        Items, with those removed.
    ids : ndarray of int64, shape (rows,), increasing, or int
        An integer is the first of consecutive ids.
    labels : ndarray of shape (rows,), or None
        int64 labels, or int32 places in the index's `LabelNames`.
    keep : ndarray of uint64, or None
        The bitmap of the items not removed; None if none was.
    live : int
        How many items were not removed; at least one.
    stored : mapping of str to Section
        Where "blocks", "ids", "labels" and "keep" lie in a file, as far as they do.
    """

    layout: Layout
    blocks: NDArray[np.uint8]
    rows: int
    ids: Ids | int
    labels: Labels | None
    keep: Words | None
    live: int
    stored: Mapping[str, Section] = field(default_factory=dict)

    @cached_property
    def scan(self) -> ScanSegment:
        """What a kernel scans."""
        return ScanSegment(self.blocks, self.rows, self.ids, self.keep)

    @property
    def nbytes(self) -> int:
        """Bytes of all its arrays, in memory or mapped."""
        arrays = (self.blocks, self.ids, self.labels, self.keep)
        return sum(array.nbytes for array in arrays if isinstance(array, np.ndarray))

    def arrays(self) -> Iterator[tuple[str, NDArray[np.generic]]]:
        """Its arrays by the names that sections of them have."""
        yield "blocks", self.blocks
        if not isinstance(self.ids, int):
            yield "ids", self.ids
        if self.labels is not None:
            yield "labels", self.labels
        if self.keep is not None:
            yield "keep", self.keep

    def refuse_altered(self, *names: str) -> None:
        """Raise `DamagedFileError` where an array, all by default, is not what its file's checksum says.

        Whoever puts other arrays in their place asks first: new checksums would hide the damage for ever.
        """
        for name, array in self.arrays():
            section = self.stored.get(name) if not names or name in names else None
            if section is not None and checksum_of(bytes_of(array)) != section.checksum:
                raise altered(name, section)

    @property
    def last_id(self) -> int:
        """The largest id."""
        return self.ids + self.rows - 1 if isinstance(self.ids, int) else int(self.ids[-1])

    def locate(self, ids: Ids) -> NDArray[np.int64]:
        """The row of each id; -1 where the segment does not hold it, or not any more."""
        if isinstance(self.ids, int):
            rows = ids - self.ids
            inside = (rows >= 0) & (rows < self.rows)
        else:
            rows = np.minimum(np.searchsorted(self.ids, ids), self.rows - 1)
            inside = self.ids[rows] == ids
        inside &= holds(self.keep, np.where(inside, rows, 0))
        return np.where(inside, rows, -1)

    def live_rows(self) -> NDArray[np.int64]:
        """The rows of the items not removed."""
        return rows_in(self.keep, self.rows)

    def ids_at(self, rows: NDArray[np.int64]) -> Ids:
        """The ids of some rows."""
        return rows + self.ids if isinstance(self.ids, int) else self.ids[rows]

    def symbols_at(self, rows: NDArray[np.int64]) -> NDArray[np.unsignedinteger]:
        """The symbols, of shape (len(rows), d), of some rows."""
        return self.layout.take(self.blocks, rows)

    def without(self, rows: NDArray[np.int64]) -> Segment | None:
        """This segment with some live rows removed; None if none is left."""
        self.refuse_altered("keep")
        live = self.live - len(rows)
        if live == 0:
            return None
        stored = {name: section for name, section in self.stored.items() if name != "keep"}
        return replace(self, keep=words_without(rows, self.rows, self.keep), live=live, stored=stored)


def new_segment(layout: Layout, codes: Codes | NDArray[Any], ids: Ids, labels: Labels | None) -> Segment:
    """A segment of items, at least one, with distinct ids in any order."""
    order = None if len(ids) == 1 or bool((ids[1:] > ids[:-1]).all()) else np.argsort(ids)
    if order is not None:
        ids, labels = ids[order], None if labels is None else labels[order]
    consecutive = int(ids[-1] - ids[0]) == len(ids) - 1
    blocks = pack_rows(layout, codes, order)
    return Segment(layout, blocks, len(ids), int(ids[0]) if consecutive else ids, labels, None, len(ids))


def joined(first: Segment, second: Segment) -> Segment:
    """One segment of the live items of two that share no id."""
    first.refuse_altered()
    second.refuse_altered()
    whole = first.keep is None and second.keep is None and first.rows % BLOCK == 0
    if whole and isinstance(first.ids, int) and isinstance(second.ids, int) and second.ids == first.last_id + 1:
        blocks = first.layout.empty(first.rows + second.rows)
        np.concatenate([first.blocks, second.blocks], out=blocks)
        labels = None if first.labels is None else np.concatenate([first.labels, _labels(second)])
        rows = first.rows + second.rows
        return Segment(first.layout, blocks, rows, first.ids, labels, None, rows)
    parts = [(segment, segment.live_rows()) for segment in (first, second)]
    symbols = np.concatenate([segment.symbols_at(rows) for segment, rows in parts])
    ids = np.concatenate([segment.ids_at(rows) for segment, rows in parts])
    chosen = [_labels(segment)[rows] for segment, rows in parts if segment.labels is not None]
    return new_segment(first.layout, symbols, ids, np.concatenate(chosen) if chosen else None)


def altered(name: str, section: Section) -> DamagedFileError:
    """The error for an array whose bytes are not those that were written."""
    last = section.offset + section.length - 1
    return DamagedFileError(
        f"the index file is damaged: {name}, in bytes {section.offset} to {last}, do not match their checksum; "
        "nothing was changed"
    )


def _labels(segment: Segment) -> Labels:
    return np.empty(0) if segment.labels is None else segment.labels
