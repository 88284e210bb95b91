"""numpy alone: one gather and one sum a position, then a partial sort."""

from __future__ import annotations

import numpy as np

from dimco.experiments.search_bench.memory import Unfit, need_memory
from dimco.experiments.search_bench.peers.base import Ids, Peer
from dimco.experiments.search_bench.workload import Workload

_MOST_SYMBOLS = 1 << 28


class NumpyGather(Peer):
    """float32 sums over symbols that are stored position by position."""

    name = "numpy"

    def __init__(self, workload: Workload) -> None:
        super().__init__(workload)
        if workload.symbols.size > _MOST_SYMBOLS:
            raise Unfit(f"takes minutes beyond {_MOST_SYMBOLS:,} symbols")
        need_memory(workload.symbols.nbytes)
        self._columns = np.ascontiguousarray(workload.symbols.T)
        self.bytes_per_item = self._columns.nbytes / workload.items

    def search(self, queries: slice, n: int) -> Ids:
        return np.stack([self._best(table, n) for table in self.workload.tables[queries]])

    def _best(self, table: np.ndarray, n: int) -> Ids:
        scores = np.zeros(self.workload.items, np.float32)
        for values, column in zip(table, self._columns, strict=True):
            scores += values[column]
        if n >= len(scores):
            return np.argsort(-scores, kind="stable")
        best = np.argpartition(-scores, n)[:n]
        return best[np.lexsort((best, -scores[best]))]
