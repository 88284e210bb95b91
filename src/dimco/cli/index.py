"""dimco index: make an index of codes, and change what it holds."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from dimco.cli import choice, options
from dimco.cli.index_split import split
from dimco.cli.new_items import NewItems, read_new_items
from dimco.cli.output import check_writable, note, show
from dimco.errors import InputError
from dimco.search.index import CodeIndex

index = typer.Typer(name="index", help="Make an index of codes, and change what it holds.", no_args_is_help=True)

IndexFile = Annotated[Path, typer.Argument(metavar="INDEX", help="An index written by `dimco index build`.")]
Source = Annotated[
    Path, typer.Argument(metavar="CODES|MODEL", help="Codes, also in parquet, or a model that encodes DATA.")
]
Data = Annotated[
    Path | None,
    typer.Argument(metavar="DATA", help="Features: .npz, .npy, .parquet, .csv; a folder of pictures by class."),
]
NewIds = Annotated[
    Path | None,
    typer.Option("--ids-file", help="The items' ids: .npy, or text, one a line; else counted on."),
]
index.command()(split)


@index.callback()
def group() -> None:
    """Make an index of codes, and change what it holds."""


@index.command()
def build(
    source: Source,
    data: Data = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the index.")] = Path("codes.index"),
    labels: options.Labels = None,
    ids_file: NewIds = None,
    device: options.Device = "auto",
    seed: options.Seed = 0,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Make an index from codes, or from data that a model encodes; labels are kept.

    Example: dimco index build codes.safetensors -o codes.index

    Example: dimco index build model.safetensors train.npz -o codes.index
    """
    start = time.perf_counter()
    check_writable(output, "index", source, data, ids_file)
    items = read_new_items(source, data, labels, device, quiet)
    made = CodeIndex(items.spec)
    _add(made, items, ids_file, quiet)
    made.save(output)
    show(_summary(made, output, start), json)


@index.command()
def add(
    file: IndexFile,
    source: Source,
    data: Data = None,
    labels: options.Labels = None,
    ids_file: NewIds = None,
    device: options.Device = "auto",
    seed: options.Seed = 0,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Add codes, or data that a model encodes, to an index, by appending to its file.

    Example: dimco index add codes.index model.safetensors more.npz
    """
    start = time.perf_counter()
    opened = CodeIndex.open(file)
    items = read_new_items(source, data, labels, device, quiet)
    if items.spec != opened.spec:
        raise InputError(f"expected codes of {opened.spec}, as in {file}; got {items.spec}")
    _add(opened, items, ids_file, quiet)
    opened.save(file)
    show({**_summary(opened, file, start), "added": len(items.codes)}, json)


@index.command()
def remove(
    file: IndexFile,
    ids: choice.Ids = None,
    ids_file: choice.IdsFile = None,
    label: choice.LabelNames = None,
    seed: options.Seed = 0,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Remove items by id or by label; `dimco index compact` then frees their room.

    Example: dimco index remove codes.index --ids 3,17
    """
    start = time.perf_counter()
    opened = CodeIndex.open(file)
    wanted, labels = choice.read_ids(ids, ids_file), choice.read_labels(opened, label)
    if (wanted is None) == (labels is None):
        given = "both" if labels is not None else "neither"
        raise InputError(f"expected items to remove either by --ids or --ids-file, or by --label; got {given}")
    if wanted is None:
        wanted = choice.ids_with_labels(opened, labels)
        if len(wanted) == 0:
            raise InputError(f"expected labels of items in {file}; it holds none labelled {', '.join(label or [])}")
    opened.remove(wanted)
    opened.save(file)
    show({**_summary(opened, file, start), "removed": len(wanted)}, json)


@index.command()
def compact(
    file: IndexFile,
    seed: options.Seed = 0,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Write an index anew without what was removed from it.

    Example: dimco index compact codes.index
    """
    start, before = time.perf_counter(), file.stat().st_size if file.exists() else 0
    opened = CodeIndex.open(file)
    opened.compact()
    opened.save(file)
    show({**_summary(opened, file, start), "bytes_freed": before - file.stat().st_size}, json)


def _add(to: CodeIndex, items: NewItems, ids_file: Path | None, quiet: bool) -> None:
    ids = items.ids if ids_file is None else choice.ids_of_file(ids_file)
    note(f"packing {len(items.codes):,} codes of {items.spec}", quiet)
    to.add(items.codes, ids, items.labels)


def _summary(made: CodeIndex, file: Path, start: float) -> dict[str, Any]:
    return {
        "index": str(file),
        "items": len(made),
        "code": str(made.spec),
        "bits": made.spec.bits,
        "file_bytes": file.stat().st_size,
        "seconds": time.perf_counter() - start,
    }
