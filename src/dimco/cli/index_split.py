"""dimco index split: an index in shards, for a cluster."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from dimco.cli import options
from dimco.cli.output import note, show
from dimco.cluster.splitting import split_index


def split(
    file: Annotated[Path, typer.Argument(metavar="INDEX", help="An index written by `dimco index build`.")],
    shards: Annotated[int, typer.Option(help="How many, of as equal sizes as can be.", min=1)],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder to make, with an index file a shard and manifest.json.")
    ],
    seed: options.Seed = 0,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Split an index into shards by ranges of ids, to be searched with --engine ray; the index stays as it is.

    Example: dimco index split codes.index --shards 4 -o shards
    """
    start = time.perf_counter()
    note(f"splitting {file} into {shards}", quiet)
    manifest = split_index(file, shards, output)
    show(
        {
            "shards": len(manifest.shards),
            "folder": str(output),
            "items": manifest.items,
            "code": str(manifest.spec),
            "largest_items": max(shard.items for shard in manifest.shards),
            "largest_bytes": max(shard.bytes for shard in manifest.shards),
            "seconds": time.perf_counter() - start,
        },
        json,
    )
