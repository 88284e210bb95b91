"""faiss IndexPQFastScan: 8-bit tables in registers as ours, without the rescoring that makes an answer exact."""

from __future__ import annotations

from typing import Any

from dimco.experiments.search_bench.memory import Unfit, need_memory
from dimco.experiments.search_bench.peers.base import Ids, Peer
from dimco.experiments.search_bench.workload import Workload
from dimco.extras import require
from dimco.search.faiss_export import add_symbols, faiss_queries, one_hot_pq

_REFINED = 10


class FaissFastScan(Peer):
    """4 bits a symbol, so codes of up to 16 symbols."""

    name = "faiss-fastscan"

    def __init__(self, workload: Workload) -> None:
        super().__init__(workload)
        if workload.spec.bits_per_symbol != 4:
            raise Unfit("takes codes of 4 bits a symbol alone")
        need_memory(2 * workload.symbols.nbytes)
        self._codes = one_hot_pq(workload.spec, workload.items)
        add_symbols(self._codes, workload.symbols)
        self._scan = require("faiss").IndexPQFastScan(self._codes)
        self.bytes_per_item = self._scan.code_size
        self.searched = self._scan

    def search(self, queries: slice, n: int) -> Ids:
        ids: Ids = self.searched.search(faiss_queries(self.workload.tables[queries]), n)[1]
        return ids


class FaissFastScanRefined(FaissFastScan):
    """The best 10 n of the scan, scored again in float32."""

    name = "faiss-fastscan-refined"

    def __init__(self, workload: Workload) -> None:
        super().__init__(workload)
        self.searched = require("faiss").IndexRefine(self._scan, self._codes)
        self.searched.k_factor = _REFINED
        self.bytes_per_item = self._scan.code_size + self._codes.sa_code_size()

    def facts(self) -> dict[str, Any]:
        return {"refined": _REFINED}
