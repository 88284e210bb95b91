"""Tables of the coarse first stage beside the plain scan, from results/coarse.json."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from dimco.experiments.scale.render import share_name
from dimco.reports.tables import markdown_table

Results = Mapping[str, Any]
Row = Mapping[str, Any]
Chosen = Callable[[Row], bool]

_RECALL = 0.95


def exact_view(results: Results) -> str:
    """The exact search of every kind of cells beside the plain scan, a row a collection and a number of items."""
    return _coarse_table(results, _is_exact)


def limited_view(results: Results) -> str:
    """The smallest limit with a recall of at least 0.95, beside the plain scan."""
    return _coarse_table(results, _is_limited)


def break_even_view(results: Results) -> str:
    """From how many items on each kind of cells is quicker than the plain scan, exactly and with a recall of 0.95."""
    rows: Sequence[Row] = results["rows"]
    records = []
    for dataset, k, d, kind in dict.fromkeys((row["dataset"], row["k"], row["d"], row["cells"]) for row in rows):
        here = [row for row in rows if (row["dataset"], row["k"], row["d"], row["cells"]) == (dataset, k, d, kind)]
        if len({row["items"] for row in here}) > 1:
            record = {"codes": dataset, "code": f"{k}x{d}", "cells": kind}
            for name, chosen in (("exact", _is_exact), ("limited", _is_limited)):
                record[name] = break_even([_times(here, items, chosen) for items in _sizes(here)])
            records.append(record)
    columns = {"codes": "codes", "code": "code", "cells": "cells", "exact": "exact", "limited": "recall of 0.95"}
    return markdown_table(records, columns)


def break_even(times: Sequence[tuple[int, float, float | None]]) -> str:
    """Where the second of two times falls below the first, along (items, first, second), by straight lines between.

    The second is None where it does not do what is asked for.
    """
    if times[-1][2] is None:
        return "not reached"
    known = [(items, plain - coarse) for items, plain, coarse in times if coarse is not None]
    if known[-1][1] <= 0:
        return f"more than {times[-1][0]:,}"
    for (before, loss), (after, gain) in reversed(list(itertools.pairwise(known))):
        if loss <= 0 < gain:
            return f"{float(f'{before + (after - before) * loss / (loss - gain):.2g}'):,.0f}"
    return f"less than {known[0][0]:,}"


def _is_exact(row: Row) -> bool:
    return row["probes"] is None


def _is_limited(row: Row) -> bool:
    return row["probes"] not in {None, "plain"} and row["recall@10"] >= _RECALL


def _sizes(rows: Sequence[Row]) -> list[int]:
    return sorted({row["items"] for row in rows})


def _times(rows: Sequence[Row], items: int, chosen: Chosen) -> tuple[int, float, float | None]:
    """Milliseconds of the plain scan, and of the first stage with the least read."""
    here = [row for row in rows if row["items"] == items]
    best = min((row for row in here if chosen(row)), key=lambda row: row["share"], default=None)
    return items, _plain(here), None if best is None else best["ms"]


def _plain(rows: Sequence[Row]) -> float:
    return min(float(row["ms"]) for row in rows if row["probes"] == "plain")


def _coarse_table(results: Results, chosen: Chosen) -> str:
    """A row a collection; in a cell the milliseconds and, in brackets, the share of the codes read."""
    rows: Sequence[Row] = results["rows"]
    kinds = list(dict.fromkeys(row["cells"] for row in rows))
    records = []
    for dataset, k, d, items in dict.fromkeys((row["dataset"], row["k"], row["d"], row["items"]) for row in rows):
        here = [row for row in rows if (row["dataset"], row["k"], row["d"], row["items"]) == (dataset, k, d, items)]
        record: dict[str, Any] = {"codes": dataset, "code": f"{k}x{d}", "items": items, "plain": f"{_plain(here):.3g}"}
        for kind in kinds:
            found = [row for row in here if row["cells"] == kind and chosen(row)]
            best = min(found, key=lambda row: row["share"], default=None)
            record[kind] = None if best is None else f"{best['ms']:.3g} ({share_name(best['share'])})"
        records.append(record)
    columns = {"codes": "codes", "code": "code", "items": "items", "plain": "plain scan, ms"}
    return markdown_table(records, columns | {kind: f"cells: {kind}" for kind in kinds})
