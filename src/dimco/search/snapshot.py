"""The state of an index at one moment: segments that never change, and what adding and removing makes of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dimco.errors import InputError
from dimco.search.labels import LabelKind, LabelNames, Labels
from dimco.search.layout import Layout
from dimco.search.scan import ScanSegment
from dimco.search.segment import Ids, Segment, joined

if TYPE_CHECKING:
    from dimco.search.kernels.quick import QuickSearch

_SMALL = 1 << 16


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Segments that share no id, and the next id to give.

    Attributes
    ----------
    layout : Layout
    segments : tuple of Segment
    next_id : int
        Larger than every id ever used.
    label_kind : "int", "str" or None
        None if items have no labels, or if there are no items.
    names : LabelNames
        The strings that labels of kind "str" are places of.
    """

    layout: Layout
    segments: tuple[Segment, ...] = ()
    next_id: int = 0
    label_kind: LabelKind | None = None
    names: LabelNames = field(default_factory=LabelNames)

    @cached_property
    def live(self) -> int:
        """Items not removed."""
        return sum(segment.live for segment in self.segments)

    @cached_property
    def scan(self) -> tuple[ScanSegment, ...]:
        """What a kernel scans."""
        return tuple(segment.scan for segment in self.segments)

    @cached_property
    def quick(self) -> QuickSearch | None:
        """What answers single queries of few items."""
        from dimco.search.kernels.quick import quick_search

        return quick_search(self.layout, self.scan)

    def located(self, ids: Ids) -> Iterator[tuple[int, Segment, NDArray[np.int64], NDArray[np.int64]]]:
        """For each segment that holds some of the ids: its place, itself, which of the ids, and their rows."""
        for place, segment in enumerate(self.segments):
            rows = segment.locate(ids)
            which = np.flatnonzero(rows >= 0)
            if which.size:
                yield place, segment, which, rows[which]

    def refuse_known(self, ids: Ids) -> None:
        """Raise `InputError` if an item has one of the ids."""
        if not ids.size or ids.min() >= self.next_id:
            return
        for _, _, which, _ in self.located(ids):
            raise InputError(f"expected ids that are not in the index; it holds an item with id {ids[which[0]]}")

    def refuse_unknown(self, ids: Ids) -> None:
        """Raise `InputError` unless every id is that of an item."""
        unknown = np.ones(len(ids), dtype=bool)
        for _, _, which, _ in self.located(ids):
            unknown[which] = False
        if unknown.any():
            raise InputError(f"expected ids of items in the index; it holds no item with id {ids[unknown][0]}")

    def with_segment(self, segment: Segment, label_kind: LabelKind | None) -> Snapshot:
        """With one more segment; small ones at the end are joined so that there are never many."""
        segments = list(self.segments)
        while segments and segments[-1].live < _SMALL and segments[-1].live <= 2 * segment.live:
            segment = joined(segments.pop(), segment)
        next_id = max(self.next_id, segment.last_id + 1)
        return replace(self, segments=(*segments, segment), next_id=next_id, label_kind=label_kind)

    def without(self, ids: Ids) -> Snapshot:
        """With the items of these ids, all of which are known, removed."""
        segments: list[Segment | None] = list(self.segments)
        for place, segment, _, rows in self.located(ids):
            segments[place] = segment.without(rows)
        left = tuple(segment for segment in segments if segment is not None)
        return replace(self, segments=left, label_kind=self.label_kind if left else None)

    def labels_of(self, ids: Ids) -> Labels | None:
        """The labels of items, all of which are known, in the shape of `ids`; None if items have none."""
        if self.label_kind is None:
            return None
        flat = ids.reshape(-1)
        labels: Labels = np.zeros(len(flat), dtype=np.int64 if self.label_kind == "int" else np.int32)
        only = self.segments[0] if len(self.segments) == 1 else None
        if only is not None and isinstance(only.ids, int) and only.labels is not None:
            labels[:] = only.labels[flat - only.ids]
        else:
            for _, segment, which, rows in self.located(flat):
                if segment.labels is not None:
                    labels[which] = segment.labels[rows]
        shaped = labels.reshape(ids.shape)
        return shaped if self.label_kind == "int" else self.names.decoded(shaped)

    def live_ids(self) -> tuple[Ids, NDArray[np.int64]]:
        """The ids of all items, increasing, and where each stands among the live rows of the segments in order."""
        parts = [segment.ids_at(segment.live_rows()) for segment in self.segments]
        ids = np.concatenate([np.empty(0, dtype=np.int64), *parts])
        order = np.argsort(ids, kind="stable")
        return ids[order], order
