"""faiss IndexFlat on 128 floats: every distance computed, in a matrix product where queries come in batches."""

from __future__ import annotations

from typing import ClassVar

from dimco.experiments.search_bench.peers.base import Ids, Peer
from dimco.experiments.search_bench.vectors import BYTES, DIMENSIONS
from dimco.experiments.search_bench.workload import Workload
from dimco.extras import require

_LEAST_PRODUCT = 20  # queries at once from which a matrix product is faster; faiss takes it from 1,000 on


class FaissFlatL2(Peer):
    """IndexFlatL2, the paper's continuous baseline."""

    name = "faiss-flat-l2"
    answers = None
    bytes_per_item = BYTES
    metric: ClassVar[str] = "METRIC_L2"

    def __init__(self, workload: Workload) -> None:
        super().__init__(workload)
        self._flat = workload.vectors.flat
        require("faiss").cvar.distance_compute_blas_threshold = _LEAST_PRODUCT * DIMENSIONS

    def search(self, queries: slice, n: int) -> Ids:
        self._flat.metric_type = getattr(require("faiss"), self.metric)
        ids: Ids = self._flat.search(self.workload.vectors.queries[queries], n)[1]
        return ids


class FaissFlatIP(FaissFlatL2):
    """IndexFlatIP over the same storage."""

    name = "faiss-flat-ip"
    metric: ClassVar[str] = "METRIC_INNER_PRODUCT"
