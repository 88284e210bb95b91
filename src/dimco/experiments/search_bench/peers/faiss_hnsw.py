"""faiss IndexHNSWFlat on 128 floats: a graph walk that is not exact, so it comes with its recall."""

from __future__ import annotations

from typing import Any

from dimco.experiments.search_bench.peers.base import Ids, Peer
from dimco.experiments.search_bench.vectors import BYTES, LINKS
from dimco.experiments.search_bench.workload import Workload

_EF_SEARCH = 64


class FaissHNSW(Peer):
    """32 links an item, 64 candidates kept while it walks."""

    name = "faiss-hnsw"
    answers = "vectors"

    def __init__(self, workload: Workload) -> None:
        super().__init__(workload)
        self._graph = workload.vectors.graph
        self._graph.hnsw.efSearch = _EF_SEARCH
        self.bytes_per_item = BYTES + 4 * self._graph.hnsw.neighbors.size() / workload.items

    def search(self, queries: slice, n: int) -> Ids:
        ids: Ids = self._graph.search(self.workload.vectors.queries[queries], n)[1]
        return ids

    def facts(self) -> dict[str, Any]:
        return {"links": LINKS, "ef_search": _EF_SEARCH}
