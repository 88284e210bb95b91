"""A held-out part of the training data, class by class."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dimco.errors import InputError
from dimco.training.batches import Indices


def held_out_split(labels: NDArray[np.int64], fraction: float, rng: np.random.Generator) -> tuple[Indices, Indices]:
    """Rows to train on and rows to hold out, both sorted.

    Of a class with n items, round(n * fraction) are held out, but never its last one.
    """
    if not 0 < fraction < 1:
        raise InputError(f"expected a held-out fraction between 0 and 1; got {fraction}")
    order = rng.permutation(len(labels))
    order = order[np.argsort(labels[order], kind="stable")]
    counts = np.unique(labels, return_counts=True)[1]
    rank = np.arange(len(labels)) - np.repeat(np.cumsum(counts) - counts, counts)
    wanted = np.minimum(np.round(counts * fraction), counts - 1)
    held_out = rank < np.repeat(wanted, counts)
    if not held_out.any():
        raise InputError(
            f"expected classes large enough to hold out {fraction:g} of each; the largest has {counts.max()}"
        )
    return np.sort(order[~held_out]), np.sort(order[held_out])
