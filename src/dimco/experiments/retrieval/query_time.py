"""Milliseconds a query over a database of the paper's size: codes beside float brute force, in one process.

One thread, ten neighbours, everyone in turn; single queries, and as many at once as there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median, quantiles
from typing import Any

import numpy as np

from dimco.experiments.retrieval.learned_codes import QUERIES, StoredCodes
from dimco.experiments.retrieval.rows import TIME
from dimco.experiments.search_bench.peers import OURS, DimcoIndex, Peer
from dimco.experiments.search_bench.peers.base import Ids
from dimco.experiments.search_bench.peers.faiss_flat import FaissFlatL2
from dimco.experiments.search_bench.plan import BATCH, SINGLE
from dimco.experiments.search_bench.timing import Contender, Pace, take_turns
from dimco.experiments.search_bench.vectors import DIMENSIONS, FloatVectors
from dimco.experiments.search_bench.workload import Workload, random_workload
from dimco.extras import require
from dimco.randomness import generator
from dimco.spec import CodeSpec

ITEMS = {"cub": 5_924, "cars": 8_131}
"""Test images: queries and database."""

NEIGHBOURS = 10
_PACES = {
    SINGLE: Pace(rounds=15, queries=50, at_once=False, turn=0.25, total=6),
    BATCH: Pace(rounds=9, queries=QUERIES, at_once=True, turn=2, total=6),
}


class NumpyFloats(Peer):
    """numpy: the product of all vectors with the query, and a partial sort."""

    name = "numpy-flat-l2"
    answers = None

    def __init__(self, workload: Workload) -> None:
        super().__init__(workload)
        self._rows = workload.vectors.rows
        self._halves = (self._rows**2).sum(1) / 2

    def search(self, queries: slice, n: int) -> Ids:
        distances = self._halves - self.workload.vectors.queries[queries] @ self._rows.T
        best = np.argpartition(distances, n, axis=1)[:, :n]
        order = np.take_along_axis(distances, best, 1).argsort(1)
        return np.take_along_axis(best, order, 1)


class WideFloats(Peer):
    """faiss IndexFlatL2 of 512 floats, with which the strongest published embeddings of a ResNet-50 are measured."""

    name = "faiss-flat-l2-512"
    answers = None
    dimensions = 512

    def __init__(self, workload: Workload, seed: int = 0) -> None:
        super().__init__(workload)
        rng = generator(seed, "wide floats")
        self._flat = require("faiss").IndexFlatL2(self.dimensions)
        self._flat.add(rng.standard_normal((workload.items, self.dimensions), dtype=np.float32))
        self._queries = rng.standard_normal((QUERIES, self.dimensions), dtype=np.float32)

    def search(self, queries: slice, n: int) -> Ids:
        ids: Ids = self._flat.search(self._queries[queries], n)[1]
        return ids


def measure_times(
    dataset: str,
    items: int,
    specs: Sequence[CodeSpec],
    learned: Mapping[CodeSpec, StoredCodes] | None = None,
    paces: dict[str, Pace] | None = None,
    seed: int = 0,
) -> list[dict[str, Any]]:
    """Rows of times.

    Parameters
    ----------
    dataset : str
    items : int
        Of the database.
    specs : sequence of CodeSpec
    learned : mapping of CodeSpec to StoredCodes, optional
        Codes and queries that a training gave; of other specs they are random.
    """
    vectors = FloatVectors(items, QUERIES, seed)
    workloads = [_workload(spec, vectors, (learned or {}).get(spec), seed) for spec in specs]
    peers = list(_peers(workloads))
    rows = []
    for mode, pace in (paces or _PACES).items():
        contenders = [Contender(peer.name, 1, _asking(peer)) for peer in peers]
        fewest = min(len(workload.tables) for workload in workloads)
        take_turns(contenders, pace, fewest)
        for peer, contender in zip(peers, contenders, strict=True):
            rows.append(_row(dataset, items, mode, peer, contender, seed))
    return rows


def _workload(spec: CodeSpec, vectors: FloatVectors, stored: StoredCodes | None, seed: int) -> Workload:
    if stored is None or len(stored.symbols) != vectors.items:
        return random_workload(spec, vectors, QUERIES, seed)
    return Workload(stored.name, spec, stored.symbols, stored.tables, vectors)


def _peers(workloads: Sequence[Workload]) -> Iterator[Peer]:
    for workload in workloads:
        yield DimcoIndex(workload)
    yield NumpyFloats(workloads[0])
    yield FaissFlatL2(workloads[0])
    yield WideFloats(workloads[0])


def _asking(peer: Peer) -> Any:
    return lambda queries: peer.search(queries, NEIGHBOURS)


def _row(dataset: str, items: int, mode: str, peer: Peer, contender: Contender, seed: int) -> dict[str, Any]:
    ours = peer.name == OURS
    spec = peer.workload.spec
    low, _, high = quantiles(contender.ms, n=4)
    return {
        "dataset": dataset,
        "backbone": None,
        "method": peer.name,
        "k": spec.k if ours else None,
        "d": spec.d if ours else None,
        "bits": spec.bits if ours else 32 * getattr(peer, "dimensions", DIMENSIONS),
        "items": items,
        "codes": peer.workload.dataset if ours else None,
        "mode": mode,
        "at_once": contender.queries if mode == BATCH else 1,
        "metric": TIME,
        "value": float(f"{median(contender.ms):.4g}"),
        "spread": float(f"{high - low:.4g}"),
        "seeds": [seed],
        "paper": None,
    }
