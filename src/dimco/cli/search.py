"""dimco search: the neighbours of queries in an index."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from torch import Tensor

from dimco.cli import choice, options
from dimco.cli.neighbours_file import check_output, records, write_neighbours
from dimco.cli.output import note, show
from dimco.datasets import load_data
from dimco.model import CodeModel
from dimco.progress import items_bar
from dimco.search.neighbours import Neighbours
from dimco.search.pair import open_pair
from dimco.search.where import Where
from dimco.training.loop import pick_device

_SHOWN_QUERIES = 10
_TABLE_ENTRIES = 1 << 24


def search(
    model: options.ModelFile,
    index: Annotated[Path, typer.Argument(metavar="INDEX", help="An index written by `dimco index build`.")],
    queries: Annotated[Path, typer.Argument(metavar="QUERIES", help="Features: .npz, .npy, .parquet, .csv.")],
    n: Annotated[int, typer.Option("-n", help="Neighbours of each query.", min=1)] = 10,
    label: choice.LabelNames = None,
    ids: choice.Ids = None,
    ids_file: choice.IdsFile = None,
    not_ids: Annotated[str | None, typer.Option(help="Ids to leave out, with commas between.")] = None,
    kernel: Annotated[str | None, typer.Option(help="avx512, avx2, portable or torch; by default the best.")] = None,
    threads: Annotated[int | None, typer.Option(help="By default all cores, fewer for little work.", min=1)] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write all neighbours: .npz, .parquet or .json.")
    ] = None,
    device: options.Device = "auto",
    seed: options.Seed = 0,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Find the stored codes that are likeliest for each query: exact, best first, equal scores by the smaller id.

    --label, --ids and --not-ids narrow what may be found; all that are given hold. Queries are numbered from 0 in the
    order of their file.

    Example: dimco search model.safetensors codes.index test.npz -n 10
    """
    check_output(output)
    loaded, opened = open_pair(model, index)
    where = Where(
        ids=choice.read_ids(ids, ids_file),
        labels=choice.read_labels(opened, label),
        not_ids=choice.read_ids(not_ids, None),
    )
    items = load_data(queries)
    note(f"{len(items.x):,} queries against {len(opened):,} codes of {opened.spec}", quiet)
    loaded.to(pick_device(device))
    parts, seconds = [], 0.0
    for tables in _tables(loaded, items.x, quiet):
        start = time.perf_counter()
        parts.append(opened.search(tables, n, where, kernel=kernel, threads=threads))
        seconds += time.perf_counter() - start
    found = _joined(parts)
    facts: dict[str, Any] = {
        "queries": len(found.ids),
        "neighbours": found.ids.shape[1],
        "items": len(opened),
        "seconds": seconds,
        "ms_per_query": 1e3 * seconds / len(found.ids),
    }
    if output is not None:
        write_neighbours(output, found)
        show({"output": str(output), **facts}, json)
    elif json:
        show({**facts, "results": list(records(found))}, json)
    else:
        _print(found)
        left = len(found.ids) - _SHOWN_QUERIES
        if left > 0:
            note(f"and {left:,} more queries: write all with -o, or print them with --json", quiet)


def _tables(model: CodeModel, x: NDArray[Any], quiet: bool) -> Iterator[Tensor]:
    """log p of the queries, so many at a time that their tables take a bounded memory."""
    step = max(1, _TABLE_ENTRIES // (model.spec.d * model.spec.k))
    few = quiet or len(x) <= step
    with contextlib.nullcontext(lambda _: None) if few else items_bar(len(x), "queries") as on_queries:
        for first in range(0, len(x), step):
            yield model.log_probs(x[first : first + step])
            on_queries(min(first + step, len(x)))


def _joined(parts: list[Neighbours]) -> Neighbours:
    labels = [part.labels for part in parts if part.labels is not None]
    ids, scores = (np.concatenate([getattr(part, name) for part in parts]) for name in ("ids", "scores"))
    return Neighbours(ids, scores, np.concatenate(labels) if labels else None)


def _print(found: Neighbours) -> None:
    """The first queries as a table for people."""
    some = slice(_SHOWN_QUERIES)
    shown = Neighbours(found.ids[some], found.scores[some], None if found.labels is None else found.labels[some])
    table = Table(box=None, pad_edge=False)
    table.add_column("query", justify="right", style="bold")
    for name in ("rank", "id"):
        table.add_column(name, justify="right")
    if found.labels is not None:
        table.add_column("label", overflow="fold")
    table.add_column("score", justify="right")
    for record in records(shown):
        label = [str(record["label"])] if "label" in record else []
        score = "-inf" if record["score"] is None else f"{record['score']:.4f}"
        query = str(record["query"]) if record["rank"] == 1 else ""
        table.add_row(query, str(record["rank"]), str(record["id"]), *label, score)
    Console().print(table)
