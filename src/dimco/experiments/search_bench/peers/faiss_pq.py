"""faiss IndexPQ with one-hot centroids: the same codes, the same queries, and float32 sums of the same numbers."""

from __future__ import annotations

from typing import Any

from dimco.experiments.search_bench.memory import Unfit, need_memory
from dimco.experiments.search_bench.peers.base import Ids, Peer
from dimco.experiments.search_bench.workload import Workload
from dimco.search.faiss_export import add_symbols, faiss_queries, one_hot_pq
from dimco.spec import CodeSpec


class FaissPQ(Peer):
    """As many bits a symbol as the code has."""

    name = "faiss-pq"

    def __init__(self, workload: Workload) -> None:
        super().__init__(workload)
        bits = self._bits(workload.spec)
        need_memory(workload.items * workload.spec.d * (bits or workload.spec.bits_per_symbol) // 8)
        self.index = one_hot_pq(workload.spec, workload.items, bits)
        self._tables_alone = one_hot_pq(workload.spec, 1, bits)
        add_symbols(self.index, workload.symbols)
        add_symbols(self._tables_alone, workload.symbols[:1])
        self.bytes_per_item = self.index.sa_code_size()

    def search(self, queries: slice, n: int) -> Ids:
        ids: Ids = self.index.search(faiss_queries(self.workload.tables[queries]), n)[1]
        return ids

    def tables(self, queries: slice) -> bool:
        """The products with one-hot centroids, which faiss needs and we do not: a search of one item."""
        self._tables_alone.search(faiss_queries(self.workload.tables[queries]), 1)
        return True

    def facts(self) -> dict[str, Any]:
        return {"bits_a_symbol": self.index.pq.nbits}

    def _bits(self, spec: CodeSpec) -> int | None:
        return None


class FaissPQByte(FaissPQ):
    """A byte a symbol, which faiss scans faster than fewer bits."""

    name = "faiss-pq-byte"

    def _bits(self, spec: CodeSpec) -> int | None:
        if spec.bits_per_symbol >= 8:
            raise Unfit("faiss-pq has a byte a symbol already")
        return 8
