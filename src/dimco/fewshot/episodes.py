"""Episodes: which items are support and query in each of many N-way K-shot tasks, the same for every method."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dimco.errors import InputError
from dimco.randomness import generator


@dataclass(frozen=True)
class Episodes:
    """Rows of a data set, drawn for E tasks.

    Attributes
    ----------
    support : ndarray of shape (E, ways * shots), int64
        The first `shots` rows are of way 0, the next of way 1, and so on.
    query : ndarray of shape (E, ways * queries), int64
        In the same order.
    ways : int
    """

    support: NDArray[np.int64]
    query: NDArray[np.int64]
    ways: int

    def __len__(self) -> int:
        return len(self.support)

    @property
    def shots(self) -> int:
        return int(self.support.shape[1] // self.ways)

    @property
    def support_ways(self) -> NDArray[np.int64]:
        """The way of each support item; it is the same in every episode."""
        return np.repeat(np.arange(self.ways), self.shots)

    @property
    def query_ways(self) -> NDArray[np.int64]:
        """The way of each query, which is what a method has to find."""
        return np.repeat(np.arange(self.ways), self.query.shape[1] // self.ways)


def draw_episodes(
    labels: NDArray[np.int64], ways: int, shots: int, queries: int = 15, episodes: int = 1000, seed: int = 0
) -> Episodes:
    """Draw tasks: classes without repetition, and of each class different items as support and as queries.

    What is drawn depends on the arguments alone.

    Parameters
    ----------
    labels : ndarray of shape (N,), int64
    ways : int
        Classes of a task.
    shots, queries : int
        Items of each class to learn from, and to classify.
    episodes : int, default=1000
    seed : int, default=0
    """
    for name, value, least in (
        ("ways", ways, 2),
        ("shots", shots, 1),
        ("queries", queries, 1),
        ("episodes", episodes, 1),
    ):
        if value < least:
            raise InputError(f"expected {name} of at least {least}; got {value}")
    members = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    if len(members) < ways:
        raise InputError(f"expected at least {ways} classes for {ways}-way episodes; got {len(members)}")
    smallest = min(len(rows) for rows in members)
    if smallest < shots + queries:
        raise InputError(f"expected {shots} + {queries} items of each class; the smallest has {smallest}")
    rng = generator(seed, "episodes")
    drawn = np.empty((episodes, ways, shots + queries), np.int64)
    for episode in drawn:
        for way, label in enumerate(rng.permutation(len(members))[:ways]):
            episode[way] = rng.choice(members[label], shots + queries, replace=False)
    support, query = drawn[..., :shots], drawn[..., shots:]
    return Episodes(support.reshape(episodes, -1), query.reshape(episodes, -1), ways)
