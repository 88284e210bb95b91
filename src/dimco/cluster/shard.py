"""A shard at work: one index file, mapped and searched in a process of its own."""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dimco._version import __version__
from dimco.cluster.manifest import ShardFile
from dimco.errors import ClusterError
from dimco.search.index import CodeIndex
from dimco.search.neighbours import Neighbours
from dimco.search.where import Where


class Answer(NamedTuple):
    """What a shard says, and of what it says it.

    Attributes
    ----------
    value : Any
    version : str
        Of dimco, in the shard's process.
    commit : str
        Of the file it answers from.
    items : int
        How many items that holds.
    """

    value: Any
    version: str
    commit: str | None
    items: int


class Shard:
    """Answers for one index file, which is opened with the first question and must be the one named.

    Parameters
    ----------
    file : ShardFile
    """

    def __init__(self, file: ShardFile) -> None:
        self._file = file
        self._opening = threading.Lock()
        self._opened: CodeIndex | None = None

    def pulse(self) -> None:
        """Answers as long as the process lives."""

    def about(self) -> Answer:
        """Bytes the items take."""
        return self._answer(self._index.nbytes)

    def search(
        self, tables: NDArray[np.float32], n: int, where: Where | None, kernel: str | None, threads: int | None
    ) -> Answer:
        """The n best of its items, as `Neighbours` of shape (Q, n)."""
        found = self._index.search(tables, n, where, kernel=kernel, threads=threads)
        return self._answer(Neighbours(*found))

    def symbols(self, ids: NDArray[np.int64]) -> Answer:
        """The symbols of items, (N, d)."""
        return self._answer(self._index.reconstruct(ids))

    def ids(self) -> Answer:
        """The ids of all its items, increasing."""
        return self._answer(self._index.ids)

    def labels(self) -> Answer:
        """The labels of all its items, in the order of ids, or None."""
        return self._answer(self._index.labels)

    def _answer(self, value: Any) -> Answer:
        return Answer(value, __version__, self._index.commit, len(self._index))

    @property
    def _index(self) -> CodeIndex:
        with self._opening:
            if self._opened is None:
                opened = CodeIndex.open(self._file.path)
                if opened.commit != self._file.commit:
                    raise ClusterError(f"expected the shard of the manifest in {self._file.path}; it was written anew")
                self._opened = opened
            return self._opened
