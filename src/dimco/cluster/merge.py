"""The neighbours found in each part of a collection, made those of the whole."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dimco.search.neighbours import Neighbours


def merged(parts: Sequence[Neighbours], n: int) -> Neighbours:
    """The n best of what was found in parts that share no item: best first, equal scores by the smaller id.

    Parameters
    ----------
    parts : sequence of Neighbours
        At least one; of the same queries, each with the n best of its part, or all where it has fewer.
    n : int

    Examples
    --------
    >>> import numpy as np
    >>> near = Neighbours(np.array([4, 9]), np.array([-1.0, -2.0]), None)
    >>> far = Neighbours(np.array([2, 3]), np.array([-2.0, -5.0]), None)
    >>> merged([near, far], n=3).ids
    array([4, 2, 9])
    """
    ids = np.concatenate([part.ids for part in parts], axis=-1)
    scores = np.concatenate([part.scores for part in parts], axis=-1)
    best = np.lexsort((ids, -scores), axis=-1)[..., :n]
    held = [part.labels for part in parts if part.labels is not None]
    labels = np.take_along_axis(np.concatenate(held, axis=-1), best, axis=-1) if held else None
    return Neighbours(np.take_along_axis(ids, best, axis=-1), np.take_along_axis(scores, best, axis=-1), labels)
