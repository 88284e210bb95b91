"""Filters: which items a search may return."""

from __future__ import annotations

from typing import Any

import numpy as np

from dimco.errors import InputError
from dimco.search.bitmap import Words, common, words_of, words_with, words_without
from dimco.search.items import as_array, read_ids
from dimco.search.labels import Labels, read_labels
from dimco.search.segment import Segment
from dimco.search.snapshot import Snapshot

_FEW = 8


class Where:
    """A filter of a search: an item must meet every condition given.

    Parameters
    ----------
    ids : array-like of int, optional
        Only these items. Ids the index does not hold are no error.
    labels : int, str, or array-like of either, optional
        Only items with one of these labels.
    not_ids : array-like of int, optional
        None of these items.

    Examples
    --------
    >>> from dimco import CodeIndex, CodeSpec, Where
    >>> index = CodeIndex(CodeSpec(k=2, d=2))
    >>> index.add([[0, 0], [0, 1], [1, 1]], labels=["cat", "dog", "cat"])
    array([0, 1, 2])
    >>> log_probs = [[-0.1, -2.3], [-0.1, -2.3]]
    >>> index.search(log_probs, n=2, where=Where(labels="cat")).ids
    array([0, 2])
    >>> index.search(log_probs, n=2, where=Where(labels="cat", not_ids=[0])).ids
    array([2])
    """

    __slots__ = ("_ids", "_labels", "_not_ids")

    def __init__(self, ids: Any = None, labels: Any = None, not_ids: Any = None) -> None:
        if isinstance(labels, (str, int, np.integer)):
            labels = [labels]
        self._ids = None if ids is None else read_ids(np.unique(as_array(ids, "ids")))
        self._not_ids = None if not_ids is None else read_ids(np.unique(as_array(not_ids, "ids")))
        self._labels = None if labels is None else read_labels(labels)

    def keeps(self, snapshot: Snapshot) -> list[Words | None]:
        """For each segment, the bitmap of the items that may be returned."""
        wanted = self._wanted_labels(snapshot)
        return [self._keep(segment, wanted) for segment in snapshot.segments]

    def _wanted_labels(self, snapshot: Snapshot) -> Labels | None:
        """The wanted labels as segments hold them."""
        if self._labels is None:
            return None
        kind, labels = self._labels
        if kind != snapshot.label_kind and snapshot.segments and labels.size:
            held = "has no labels" if snapshot.label_kind is None else f"has labels of type {snapshot.label_kind}"
            raise InputError(f"expected a filter by labels the index has; it {held}; got type {kind}")
        return snapshot.names.found(labels) if kind == "str" else np.unique(labels)

    def _keep(self, segment: Segment, wanted: Labels | None) -> Words | None:
        keep = segment.keep
        if self._ids is not None:
            rows = segment.locate(self._ids)
            keep = words_with(rows[rows >= 0], segment.rows)
        if self._not_ids is not None:
            rows = segment.locate(self._not_ids)
            keep = words_without(rows[rows >= 0], segment.rows, keep)
        if wanted is not None:
            labels = np.empty(segment.rows) if segment.labels is None else segment.labels
            keep = common(keep, words_of(_is_one_of(labels, wanted)))
        return keep


def _is_one_of(labels: Labels, wanted: Labels) -> Labels:
    if len(wanted) > _FEW:
        return np.isin(labels, wanted)
    found = np.zeros(len(labels), dtype=bool)
    for label in wanted:
        found |= labels == label
    return found
