"""dimco database: the codes of an index in Qdrant, Milvus or Postgres."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from dimco.adapters.collection import Collection
from dimco.adapters.opening import Engine, open_collection
from dimco.cli import choice, options
from dimco.cli.neighbours_file import check_output, write_neighbours
from dimco.cli.output import note, show
from dimco.datasets import load_data
from dimco.errors import InputError
from dimco.model import CodeModel
from dimco.progress import items_bar
from dimco.search.index import CodeIndex
from dimco.search.neighbours import Neighbours
from dimco.spec import CodeSpec
from dimco.training.loop import pick_device

database = typer.Typer(
    name="database", help="Keep the codes of an index in Qdrant, Milvus or Postgres.", no_args_is_help=True
)

To = Annotated[Engine, typer.Option("--engine", help="Which database.")]
At = Annotated[
    str, typer.Option("--at", help="qdrant: a folder or http://...; milvus: a .db path or http://...; postgres://...")
]
Name = Annotated[str, typer.Option("--collection", help="Of letters, digits and underscores.")]

_TABLE_ENTRIES = 1 << 24


@database.callback()
def group() -> None:
    """Keep the codes of an index in Qdrant, Milvus or Postgres."""


@database.command()
def push(
    index: Annotated[Path, typer.Argument(metavar="INDEX", help="An index written by `dimco index build`.")],
    engine: To,
    at: At,
    collection: Name = "codes",
    seed: options.Seed = 0,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Write the codes of an index to a collection, with ids and labels; only what is not there yet, or differs.

    An interrupted push is gone on with by the same command.

    Example: dimco database push codes.index --engine qdrant --at qdrant-folder
    """
    start, opened = time.perf_counter(), CodeIndex.open(index)
    with _opened(engine, at, collection, opened.spec) as target:
        note(f"{len(opened):,} codes of {opened.spec}", quiet)
        with contextlib.nullcontext(None) if quiet else items_bar(len(opened), "items") as on_items:
            pushed = target.push(opened, on_items)
        facts = {"collection": collection, "items": len(target), **pushed._asdict()}
    show({**facts, "seconds": time.perf_counter() - start}, json)


@database.command()
def search(
    model: options.ModelFile,
    queries: Annotated[Path, typer.Argument(metavar="QUERIES", help="Features: .npz, .npy, .parquet, .csv.")],
    engine: To,
    at: At,
    collection: Name = "codes",
    n: Annotated[int, typer.Option("-n", help="Neighbours of each query.", min=1)] = 10,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where to write the neighbours: .npz, .parquet or .json.")
    ] = Path("neighbours.json"),
    device: options.Device = "auto",
    seed: options.Seed = 0,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Find the codes of a collection that are likeliest for each query: the same answer as `dimco search`.

    Example: dimco database search model.safetensors test.npz --engine qdrant --at qdrant-folder
    """
    check_output(output)
    loaded = CodeModel.load(model)
    with _opened(engine, at, collection) as source:
        if source.spec != loaded.spec:
            raise InputError(
                f"expected a model of {source.spec} codes, as in {collection}; {model} is of {loaded.spec}"
            )
        loaded.to(pick_device(device))
        x, parts, seconds = load_data(queries).x, [], 0.0
        note(f"{len(x):,} queries against {len(source):,} codes of {source.spec}", quiet)
        step = max(1, _TABLE_ENTRIES // (loaded.spec.d * loaded.spec.k))
        for first in range(0, len(x), step):
            tables = loaded.log_probs(x[first : first + step])
            start = time.perf_counter()
            parts.append(source.search(tables, n))
            seconds += time.perf_counter() - start
    found = _joined(parts)
    write_neighbours(output, found)
    queried, neighbours = found.ids.shape
    facts = {"output": str(output), "queries": queried, "neighbours": neighbours}
    show({**facts, "ms_per_query": 1e3 * seconds / queried}, json)


@database.command()
def remove(
    engine: To,
    at: At,
    collection: Name = "codes",
    ids: choice.Ids = None,
    ids_file: choice.IdsFile = None,
    seed: options.Seed = 0,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Remove items from a collection by id; ids it does not hold are no error.

    Example: dimco database remove --engine qdrant --at qdrant-folder --ids 3,17
    """
    wanted = choice.read_ids(ids, ids_file)
    if wanted is None:
        raise InputError("expected items to remove by --ids or --ids-file; got neither")
    with _opened(engine, at, collection) as target:
        removed = target.remove(wanted)
        show({"collection": collection, "items": len(target), "removed": removed}, json)


@contextlib.contextmanager
def _opened(engine: Engine, at: str, name: str, spec: CodeSpec | None = None) -> Iterator[Collection]:
    collection = open_collection(engine, at, name, spec)
    try:
        yield collection
    finally:
        collection.close()


def _joined(parts: list[Neighbours]) -> Neighbours:
    labels = [part.labels for part in parts if part.labels is not None]
    ids, scores = (np.concatenate([getattr(part, name) for part in parts]) for name in ("ids", "scores"))
    return Neighbours(ids, scores, np.concatenate(labels) if labels else None)
