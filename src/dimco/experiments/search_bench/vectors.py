"""The paper's continuous baseline: 128-dimensional float vectors, stored once for every peer that searches them."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dimco.experiments.search_bench.memory import Unfit, need_memory
from dimco.extras import require
from dimco.randomness import generator

DIMENSIONS = 128
BYTES = 4 * DIMENSIONS
LINKS = 32
_LATENT, _NOISE = 16, 0.1
_CHUNK = 65_536
_MOST_FOR_GRAPH = 2_000_000


class FloatVectors:
    """N vectors of 128 floats near a subspace of 16 dimensions, as embeddings lie, and queries of the same kind.

    Nothing is made before it is asked for.

    Parameters
    ----------
    items, queries : int
    seed : int
    """

    def __init__(self, items: int, queries: int, seed: int) -> None:
        self.items = items
        self._queries, self._seed = queries, seed

    @cached_property
    def queries(self) -> NDArray[np.float32]:
        return self._draw(self._queries, -1)

    @cached_property
    def flat(self) -> Any:
        """A `faiss.IndexFlat` of the vectors, filled in place: they are in memory once."""
        faiss = require("faiss")
        need_memory(self.items * BYTES)
        flat = faiss.IndexFlat(DIMENSIONS, faiss.METRIC_L2)
        flat.codes.resize(self.items * BYTES)
        flat.ntotal = self.items
        rows = _view(flat)
        for start in range(0, self.items, _CHUNK):
            part = rows[start : start + _CHUNK]
            part[:] = self._draw(len(part), start // _CHUNK)
        return flat

    @property
    def rows(self) -> NDArray[np.float32]:
        """The vectors that `flat` holds, not copied."""
        return _view(self.flat)

    @cached_property
    def graph(self) -> Any:
        """A `faiss.IndexHNSWFlat` of the vectors."""
        faiss = require("faiss")
        if self.items > _MOST_FOR_GRAPH:
            raise Unfit(f"building its graph takes hours beyond {_MOST_FOR_GRAPH:,} items")
        need_memory(self.items * (BYTES + 8 * LINKS))
        graph = faiss.IndexHNSWFlat(DIMENSIONS, LINKS)
        graph.add(self.rows)
        return graph

    def nearest(self, queries: int, n: int) -> NDArray[np.int64]:
        """The true nearest by Euclidean distance, to tell recall."""
        faiss = require("faiss")
        self.flat.metric_type = faiss.METRIC_L2
        ids: NDArray[np.int64] = self.flat.search(self.queries[:queries], n)[1]
        return ids

    def _draw(self, rows: int, number: int) -> NDArray[np.float32]:
        basis = generator(self._seed, "subspace").standard_normal((_LATENT, DIMENSIONS), dtype=np.float32)
        random = generator(self._seed, f"vectors {self.items}", number + 1)
        latent = random.standard_normal((rows, _LATENT), dtype=np.float32)
        noise = random.standard_normal((rows, DIMENSIONS), dtype=np.float32)
        drawn: NDArray[np.float32] = latent @ basis + np.float32(_NOISE) * noise
        return drawn


class _Storage:
    """The memory of an index, which stays while an array looks at it."""

    def __init__(self, flat: Any) -> None:
        self.flat = flat
        values = require("faiss").rev_swig_ptr(flat.get_xb(), flat.ntotal * DIMENSIONS)
        self.__array_interface__ = {**values.__array_interface__, "shape": (flat.ntotal, DIMENSIONS)}


def _view(flat: Any) -> NDArray[np.float32]:
    return np.asarray(_Storage(flat))
