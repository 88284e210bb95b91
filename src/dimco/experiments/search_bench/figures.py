"""Looking up what was measured, by method, code, size, mode and threads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dimco.experiments.search_bench.cell import FLOOR
from dimco.experiments.search_bench.peers import OURS, PEERS
from dimco.experiments.search_bench.plan import BATCH, SINGLE
from dimco.experiments.search_bench.workload import RANDOM

Code = tuple[int, int]
HEADLINE_ITEMS = 1_000_000


class Figures:
    """The rows of one data set's results.

    Parameters
    ----------
    results : mapping
        A results file, perhaps of some cells only.
    dataset : str, default="random"

    Attributes
    ----------
    codes : list of (k, d)
    sizes : list of int
        Numbers of items, rising.
    methods : list of (str, int)
        Methods with their threads, ours first.
    headline : int or None
        The largest size up to a million.
    batch : int
        Queries of a whole batch.
    """

    def __init__(self, results: Mapping[str, Any], dataset: str = RANDOM) -> None:
        self._rows: dict[tuple[Any, ...], Mapping[str, Any]] = {}
        rows = [row for row in results["rows"] if row["dataset"] == dataset]
        for row in rows:
            key = (row["metric"], row["method"], row["threads"], row["k"], row["d"], row["items"], row["mode"])
            self._rows[key] = row
        self.codes: list[Code] = sorted({(row["k"], row["d"]) for row in rows}, key=lambda code: code[0] * code[1])
        self.sizes = sorted({row["items"] for row in rows})
        found = dict.fromkeys((row["method"], row["threads"]) for row in rows if row["method"] != FLOOR)
        order = [OURS, *PEERS]
        self.methods = sorted(found, key=lambda method: order.index(method[0]) if method[0] in order else 0)
        small = [size for size in self.sizes if size <= HEADLINE_ITEMS]
        self.headline = small[-1] if small else None
        self.batch = max((row["queries"] for row in rows if row["mode"] == BATCH), default=0)

    def row(
        self, metric: str, method: str, code: Code, items: int | None, mode: str | None = None, threads: int = 1
    ) -> Mapping[str, Any] | None:
        """The row, or None where it was not measured."""
        return self._rows.get((metric, method, threads, *code, items, mode))

    def value(
        self, metric: str, method: str, code: Code, items: int | None, mode: str | None = None, threads: int = 1
    ) -> float | None:
        """The figure alone."""
        row = self.row(metric, method, code, items, mode, threads)
        return None if row is None else float(row["value"])

    def ms(self, method: str, code: Code, items: int | None, mode: str = SINGLE, threads: int = 1) -> float | None:
        """Median milliseconds a query."""
        return self.value("ms_per_query", method, code, items, mode, threads)

    def times_ours(self, method: str, code: Code, items: int | None, mode: str, threads: int = 1) -> float | None:
        """How many times longer a method takes than ours on one thread; None where that is lost in noise.

        What faiss spends on products with one-hot centroids is taken off: it comes from saying our codes in faiss's
        terms, and says nothing about its scan.
        """
        theirs, ours = self.ms(method, code, items, mode, threads), self.ms(OURS, code, items, mode)
        if theirs is None or ours is None:
            return None
        scan = theirs - (self.value("tables_ms", method, code, items, mode) or 0.0)
        return scan / ours if scan > 0 else None
