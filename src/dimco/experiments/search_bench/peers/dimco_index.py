"""Ours: `CodeIndex`, with the best kernel of the machine or another by name."""

from __future__ import annotations

from typing import Any

from dimco.experiments.search_bench.memory import need_memory
from dimco.experiments.search_bench.peers.base import Ids, Peer
from dimco.experiments.search_bench.workload import Workload
from dimco.search.index import CodeIndex
from dimco.search.kernels import available_kernels


class DimcoIndex(Peer):
    """Exact search of the codes; `index` lets several of these share one."""

    name = "dimco"

    def __init__(
        self, workload: Workload, index: CodeIndex | None = None, threads: int = 1, kernel: str | None = None
    ) -> None:
        super().__init__(workload)
        self.threads, self._kernel = threads, kernel
        self.name = self.name if kernel is None else f"{self.name}-{kernel}"
        self.index = index if index is not None else built(workload)
        self.bytes_per_item = self.index.nbytes / workload.items

    def search(self, queries: slice, n: int) -> Ids:
        tables = self.workload.tables[queries]
        return self.index.search(tables, n, kernel=self._kernel, threads=self.threads).ids

    def facts(self) -> dict[str, Any]:
        return {"kernel": self._kernel or available_kernels()[0]}


def built(workload: Workload) -> CodeIndex:
    """An index of the workload's codes, with ids 0 to N - 1."""
    need_memory(2 * workload.symbols.nbytes)
    index = CodeIndex(workload.spec)
    index.add(workload.symbols)
    return index
