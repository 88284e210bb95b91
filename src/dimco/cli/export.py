"""dimco export: an index for other programs."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from dimco.cli import options
from dimco.cli.output import check_writable, note, show
from dimco.search.export import Kind, export_index
from dimco.search.index import CodeIndex


def export(
    index: Annotated[Path, typer.Argument(metavar="INDEX", help="An index written by `dimco index build`.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write it.")],
    to: Annotated[Kind, typer.Option(help="What to write.")],
    seed: options.Seed = 0,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Write the codes of an index for other programs.

    npy: symbols (N, d) as OUT.npy, with OUT.ids.npy and OUT.labels.npy beside it.

    parquet: columns id, label and code, a list of d symbols.

    faiss: an IndexPQ that finds the same neighbours for log probabilities as query vectors; it holds no labels.

    Example: dimco export codes.index --to parquet -o codes.parquet
    """
    start = time.perf_counter()
    check_writable(output, to, index)
    opened = CodeIndex.open(index)
    note(f"{len(opened):,} codes of {opened.spec}", quiet)
    files = export_index(opened, to, output)
    size = sum(file.stat().st_size for file in files)
    written = [str(file) for file in files]
    show({"files": written, "items": len(opened), "file_bytes": size, "seconds": time.perf_counter() - start}, json)
