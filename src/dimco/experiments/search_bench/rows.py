"""Flat rows from cells: medians, quartiles, ratios to the floor, sizes and exactness."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from dimco.experiments.search_bench.cell import FLOOR, Cell
from dimco.experiments.search_bench.plan import SINGLE

Row = dict[str, Any]


def summarized(cells: Sequence[Cell]) -> list[Row]:
    """The rows of all cells.

    `ms_per_query` has the median over rounds as its value, half the distance of the quartiles as its spread, and the
    quartiles; `floor_ratio` stands beside it for single queries, and `tables_ms` is the part of it that is spent on
    tables. `bytes_per_item`, `exactness` and `recall@10` hold for a method in any mode.
    """
    return [row for cell in cells for row in (*_speeds(cell), *_facts(cell))]


def _speeds(cell: Cell) -> Iterator[Row]:
    floor = next(float(np.median(one["ms"])) for one in cell["series"] if one["method"] == FLOOR)
    for one in cell["series"]:
        low, middle, high = (float(value) for value in np.quantile(one["ms"], [0.25, 0.5, 0.75]))
        facts = {"mode": one["mode"], "queries": one["queries"], "rounds": len(one["ms"])}
        spread = {"spread": _short((high - low) / 2), "q25": _short(low), "q75": _short(high)}
        metric = "ms_per_query" if one["part"] is None else f"{one['part']}_ms"
        yield _row(cell, one, metric, middle) | facts | spread
        if one["mode"] == SINGLE and one["method"] != FLOOR and one["part"] is None:
            yield _row(cell, one, "floor_ratio", middle / floor) | facts


def _facts(cell: Cell) -> Iterator[Row]:
    names = {"recall": f"recall@{cell['n']}"}
    for fact in cell["facts"]:
        for name in ("bytes_per_item", "exactness", "recall"):
            if name in fact:
                yield _row(cell, fact, names.get(name, name), fact[name])


def _row(cell: Cell, of: dict[str, Any], metric: str, value: float) -> Row:
    code = {name: cell[name] for name in ("k", "d", "bits", "items")}
    return {
        "dataset": cell["dataset"],
        "backbone": None,
        "method": of["method"],
        **code,
        "threads": of["threads"],
        "mode": None,
        "metric": metric,
        "value": _short(value),
        "spread": None,
        "seeds": [cell["seed"]],
        "paper": None,
    }


def _short(value: float) -> float:
    """Four figures."""
    return float(f"{value:.4g}")
