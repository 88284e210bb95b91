"""Compaction: all items of an index in one segment, in the order of their ids, without those removed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dimco.search.labels import LabelNames, Labels
from dimco.search.layout import BLOCK
from dimco.search.segment import Ids, Segment
from dimco.search.snapshot import Snapshot

_CHUNK = 1 << 16


def compacted(snapshot: Snapshot) -> Snapshot:
    """The same items in a single segment; label names that no item has any more are dropped."""
    if not snapshot.segments:
        return replace(snapshot, names=LabelNames())
    for segment in snapshot.segments:
        segment.refuse_altered()
    ids, order = snapshot.live_ids()
    rows = [segment.live_rows() for segment in snapshot.segments]
    starts = np.cumsum([0, *(len(some) for some in rows)])
    blocks = snapshot.layout.empty(len(ids))
    for first in range(0, len(ids), _CHUNK):
        places = order[first : first + _CHUNK]
        symbols = np.empty((len(places), snapshot.layout.spec.d), dtype=snapshot.layout.spec.dtype)
        owner = np.searchsorted(starts, places, side="right") - 1
        for number in np.unique(owner):
            mine = np.flatnonzero(owner == number)
            symbols[mine] = snapshot.segments[number].symbols_at(rows[number][places[mine] - starts[number]])
        packed = snapshot.layout.pack(symbols)
        at = first // BLOCK * snapshot.layout.block_bytes
        blocks[at : at + len(packed)] = packed
    labels, names = _labels(snapshot, ids)
    consecutive = int(ids[-1] - ids[0]) == len(ids) - 1
    kept: Ids | int = int(ids[0]) if consecutive else ids
    segment = Segment(snapshot.layout, blocks, len(ids), kept, labels, None, len(ids))
    return replace(snapshot, segments=(segment,), names=names)


def _labels(snapshot: Snapshot, ids: NDArray[np.int64]) -> tuple[Labels | None, LabelNames]:
    labels, names = snapshot.labels_of(ids), LabelNames()
    if labels is not None and snapshot.label_kind == "str":
        labels = names.added(labels)
    return labels, names
