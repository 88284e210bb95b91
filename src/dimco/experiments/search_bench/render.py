"""Tables of the search benchmark, from its results file; a file that holds some cells only renders as well."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from dimco.experiments.search_bench.cell import FLOOR
from dimco.experiments.search_bench.figures import Code, Figures
from dimco.experiments.search_bench.goals import GOALS
from dimco.experiments.search_bench.peers import OURS
from dimco.experiments.search_bench.plan import BATCH, SINGLE
from dimco.experiments.search_bench.rows import summarized
from dimco.reports.tables import markdown_table

Results = Mapping[str, Any]
Cell = Callable[[Figures, str, int, Code], str | float | None]


def goals_view(results: Results) -> str:
    """The goals beside what was measured."""
    figures = Figures(results)
    records = []
    for goal in GOALS:
        reached = goal.measured(figures)
        record: dict[str, Any] = {"code": f"{goal.k}x{goal.d}", "queries": goal.mode, "goal": goal.text}
        record["measured"] = "not measured" if reached is None else f"{reached:.2f}x"
        record["met"] = None if reached is None else "yes" if goal.met(reached) else "no"
        records.append(record)
    return markdown_table(records, ["code", "queries", "goal", "measured", "met"])


def single_view(results: Results) -> str:
    """Milliseconds of a single query, a row a method and a column a code."""
    return _by_method(results, partial(_time, SINGLE), "ms a query, asked one at a time", floor=True)


def batch_view(results: Results) -> str:
    """Milliseconds a query of a batch."""
    return _by_method(results, partial(_time, BATCH), "ms a query, asked 1,000 at once unless said")


def ratio_view(results: Results) -> str:
    """How many times longer each method takes than ours, single / batch."""

    def cell(figures: Figures, method: str, threads: int, code: Code) -> str | None:
        ratios = [figures.times_ours(method, code, figures.headline, mode, threads) for mode in (SINGLE, BATCH)]
        return None if None in ratios else " / ".join(f"{ratio:.3g}" for ratio in ratios)

    return _by_method(results, cell, "times the time of dimco on one thread, single / batch")


def size_view(results: Results) -> str:
    """Bytes an item."""

    def cell(figures: Figures, method: str, threads: int, code: Code) -> str | None:
        size = figures.value("bytes_per_item", method, code, figures.headline, threads=threads)
        return None if size is None else f"{size:,.3g}" if size < 100 else f"{size:,.0f}"

    return _by_method(results, cell, "bytes an item in memory")


def exactness_view(results: Results) -> str:
    """The share of queries answered exactly, and the recall of those that search vectors."""

    def cell(figures: Figures, method: str, threads: int, code: Code) -> str | None:
        exact = figures.value("exactness", method, code, figures.headline, threads=threads)
        if exact is not None:
            return f"{100 * exact:.3g} %"
        recall = figures.value("recall@10", method, code, figures.headline)
        return None if recall is None else f"recall {recall:.2f}"

    return _by_method(results, cell, "share of queries whose ids are those of the float64 reference")


def scaling_view(results: Results) -> str:
    """Ours at every size: milliseconds, and times the bandwidth floor."""
    figures = Figures(results)
    records = []
    for items in figures.sizes:
        record: dict[str, Any] = {"items": items}
        for code in figures.codes:
            ms = figures.ms(OURS, code, items)
            ratio = figures.value("floor_ratio", OURS, code, items, SINGLE)
            record[_name(code)] = None if ms is None else f"{ms:.3g} ({ratio:.2f}x)"
        records.append(record)
    return markdown_table(records, ["items", *map(_name, figures.codes)])


def gpu_view(results: Results) -> str:
    """Search on a GPU, beside reading the codes once from its memory."""
    records = [
        {
            "what": row["method"] if row["queries"] == 1 else f"{row['method']}, {row['queries']} queries at once",
            "ms": f"{row['value']:.3f} ({row['quartiles'][0]:.3f}-{row['quartiles'][1]:.3f})",
            "floor": f"{row['times_the_floor']:.2f}x",
        }
        for row in results["rows"]
    ]
    row = results["rows"][0]
    said = (
        f"{row['items']:,} codes of {row['code']}, {row['neighbours']} neighbours, {results['machine']['accelerator']}."
    )
    return f"{said}\n\n" + markdown_table(records, {"what": "what", "ms": "ms a query", "floor": "times reading once"})


def cell_line(cell: Mapping[str, Any]) -> str:
    """One measured cell in a line: single queries of one thread, and how many times ours each method takes."""
    figures = Figures({"rows": summarized([dict(cell)])}, cell["dataset"])
    code, items = (cell["k"], cell["d"]), cell["items"]
    ours = figures.ms(OURS, code, items)
    said = [] if ours is None else [f"{OURS} {ours:.3g} ms"]
    for method, threads in figures.methods:
        ratio = figures.times_ours(method, code, items, SINGLE)
        if ratio is not None and method != OURS and threads == 1:
            said.append(f"{method} {ratio:.3g}x")
    return f"{_name(code)}, {items:,} items: {', '.join(said)}"


def _by_method(results: Results, cell: Cell, what: str, floor: bool = False) -> str:
    """A row a method, a column a code, at the largest size up to a million."""
    figures = Figures(results)
    records = []
    for method, threads in [*figures.methods, *([(FLOOR, 1)] if floor else [])]:
        record: dict[str, Any] = {"method": method if threads == 1 else f"{method}, {threads} threads"}
        record |= {_name(code): cell(figures, method, threads, code) for code in figures.codes}
        if any(record[_name(code)] is not None for code in figures.codes):
            records.append(record)
    table = markdown_table(records, ["method", *map(_name, figures.codes)])
    return table if figures.headline is None else f"N = {figures.headline:,}; {what}.\n\n{table}"


def _time(mode: str, figures: Figures, method: str, threads: int, code: Code) -> str | None:
    """Median with quartiles; how many queries were asked where a batch was smaller than planned."""
    row = figures.row("ms_per_query", method, code, figures.headline, mode, threads)
    if row is None:
        return None
    asked = f", {row['queries']} at once" if mode == BATCH and row["queries"] < figures.batch else ""
    return f"{row['value']:.3g} ({row['q25']:.3g}-{row['q75']:.3g}{asked})"


def _name(code: Code) -> str:
    return f"{code[0]}x{code[1]}"
