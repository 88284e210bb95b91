"""Neighbours of the first queries as a table for people."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from dimco.cli.neighbours_file import Seen, records
from dimco.cli.sheet import named
from dimco.search.neighbours import Neighbours

SHOWN_QUERIES = 10
_LISTED_POSITIONS = 16


def print_neighbours(found: Neighbours, seen: Seen | None = None, names: list[str] | None = None) -> None:
    """Print them; of pictures, with the positions whose symbols agree."""
    some = slice(SHOWN_QUERIES)
    shown = Neighbours(found.ids[some], found.scores[some], None if found.labels is None else found.labels[some])
    table = Table(box=None, pad_edge=False)
    if seen is None:
        table.add_column("query", justify="right", style="bold")
    else:
        table.add_column("query", style="bold", overflow="fold")
    for name in ("rank", "id"):
        table.add_column(name, justify="right")
    if found.labels is not None:
        table.add_column("label", overflow="fold")
    table.add_column("score", justify="right")
    if seen is not None:
        table.add_column("positions that agree", overflow="fold")
    for record in records(shown, seen):
        table.add_row(*_cells(record, seen, names))
    Console().print(table)


def _cells(record: dict[str, Any], seen: Seen | None, names: list[str] | None) -> list[str]:
    query = "" if record["rank"] > 1 else str(record["query"]) if seen is None else Path(record["picture"]).name
    label = [named(record["label"], names)] if "label" in record else []
    score = "-inf" if record["score"] is None else f"{record['score']:.4f}"
    agree = [] if seen is None else [_listed(record["agree"], seen.agree.shape[2])]
    return [query, str(record["rank"]), str(record["id"]), *label, score, *agree]


def _listed(agree: list[int], d: int) -> str:
    """How many positions agree and, where there are few positions, which."""
    which = f": {' '.join(map(str, agree))}" if agree and d <= _LISTED_POSITIONS else ""
    return f"{len(agree)} of {d}{which}"
