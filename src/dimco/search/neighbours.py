"""What a search finds."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dimco.search.snapshot import Snapshot


class Neighbours(NamedTuple):
    """The best items of one query, or of many, best first; equal scores by the smaller id.

    Attributes
    ----------
    ids : ndarray of int64, shape (m,) for one query, (Q, m) for many
        m is n, or the number of items that may be returned where that is smaller.
    scores : ndarray of float64, same shape
        sum_i log p_i[c_i] (eq. 8), added in the order of positions.
    labels : ndarray of int64 or str, same shape, or None
        None if the index has no labels.
    """

    ids: NDArray[np.int64]
    scores: NDArray[np.float64]
    labels: NDArray[Any] | None


def neighbours_of(snapshot: Snapshot, ids: NDArray[np.int64], scores: NDArray[np.float64], single: bool) -> Neighbours:
    """What a scan of a snapshot found, with labels; without the first axis for a single query."""
    if single:
        ids, scores = ids[0], scores[0]
    return Neighbours(ids, scores, snapshot.labels_of(ids))


def one_neighbours(
    snapshot: Snapshot, found: tuple[NDArray[np.int64], NDArray[np.float64]], dimensions: int
) -> Neighbours:
    """The same for one query, of which ids and scores are flat, in the shape that its table asks for."""
    ids, scores = found
    if dimensions == 3:
        ids, scores = ids[np.newaxis], scores[np.newaxis]
    return Neighbours(ids, scores, None if snapshot.label_kind is None else snapshot.labels_of(ids))
