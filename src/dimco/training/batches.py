"""Which items form each batch of an epoch: plain shuffled batches, or balanced ones of a few classes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dimco.errors import InputError

Indices = NDArray[np.int64]


def steps_per_epoch(items: int, batch_size: int) -> int:
    """Full batches in an epoch; one smaller batch if the items do not fill one."""
    return max(1, items // batch_size)


def plain_batches(items: int, batch_size: int, rng: np.random.Generator) -> Iterator[Indices]:
    """A shuffle of all items cut into full batches; the rest waits for another epoch's shuffle."""
    order = rng.permutation(items)
    for step in range(steps_per_epoch(items, batch_size)):
        yield order[step * batch_size : (step + 1) * batch_size]


def balanced_batches(
    labels: NDArray[np.int64], classes_a_batch: int, batch_size: int, rng: np.random.Generator
) -> Iterator[Indices]:
    """Batches of `classes_a_batch` classes with the same number of items each.

    Items of a class are drawn without repetition unless the class is too small.
    """
    order = np.argsort(labels, kind="stable")
    members = np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)
    if classes_a_batch > len(members):
        raise InputError(f"expected at least {classes_a_batch} classes for balanced batches; got {len(members)}")
    share = batch_size // classes_a_batch
    for _ in range(steps_per_epoch(len(labels), batch_size)):
        chosen = rng.choice(len(members), classes_a_batch, replace=False)
        yield np.concatenate([rng.choice(members[c], share, replace=len(members[c]) < share) for c in chosen])
