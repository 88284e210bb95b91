"""Where codes are searched: in this process, or in shards on a Ray cluster."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

import typer

from dimco.errors import InputError
from dimco.model import CodeModel
from dimco.search.pair import open_pair
from dimco.search.searchable import Searchable

Engine = Annotated[
    Literal["local", "ray"],
    typer.Option(help="local: an index file. ray: a folder of shards, searched on a Ray cluster."),
]
Address = Annotated[
    str | None, typer.Option(help="Of the Ray cluster, HOST:PORT; else RAY_ADDRESS, or one of this process.")
]
Replicas = Annotated[int, typer.Option(help="Processes for each shard, with --engine ray.", min=1)]


@contextlib.contextmanager
def opened_pair(
    model: Path, index: Path, engine: str, address: str | None, replicas: int
) -> Iterator[tuple[CodeModel, Searchable]]:
    """A model and its codes, until the block ends."""
    if engine == "local":
        if address is not None or replicas != 1:
            raise InputError("expected --engine ray with --address or --replicas; got --engine local")
        if index.is_dir() and (index / "manifest.json").is_file():
            raise InputError(f"expected an index file, or --engine ray for the shards in {index}; got --engine local")
        yield open_pair(model, index)
        return
    from dimco.cluster.pair import open_sharded_pair

    with open_sharded_pair(model, index, replicas, address) as pair:
        yield pair
