"""usearch's exact search on 128 floats."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dimco.experiments.search_bench.memory import need_memory
from dimco.experiments.search_bench.peers.base import Ids, Peer
from dimco.experiments.search_bench.vectors import BYTES
from dimco.experiments.search_bench.workload import Workload
from dimco.extras import require

_PAIR_BYTES = 16
_MOST_BYTES = 1 << 30


class UsearchExact(Peer):
    """Squared Euclidean distance to every vector.

    It keeps every distance of a call, so a batch is asked in pieces that take a bounded memory.
    """

    name = "usearch-exact"
    answers = "vectors"
    bytes_per_item = BYTES

    def __init__(self, workload: Workload) -> None:
        super().__init__(workload)
        need_memory(_MOST_BYTES)
        self._usearch = require("usearch.index")
        self._rows = workload.vectors.rows

    def search(self, queries: slice, n: int) -> Ids:
        asked = self.workload.vectors.queries[queries]
        step = max(1, _MOST_BYTES // (_PAIR_BYTES * len(self._rows)))
        return np.concatenate([self._piece(asked[start : start + step], n) for start in range(0, len(asked), step)])

    def _piece(self, asked: NDArray[np.float32], n: int) -> Ids:
        found = self._usearch.search(self._rows, asked, n, self._usearch.MetricKind.L2sq, exact=True, threads=1)
        return np.asarray(found.keys, dtype=np.int64).reshape(len(asked), n)
