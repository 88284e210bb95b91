"""dimco search: the neighbours of queries in an index."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from dimco.backbones.pretrained import PRETRAINED
from dimco.cli import choice, options
from dimco.cli.engine import Address, Engine, Replicas, opened_pair
from dimco.cli.neighbours_file import Seen, check_output, records, write_neighbours
from dimco.cli.neighbours_table import SHOWN_QUERIES, print_neighbours
from dimco.cli.output import note, show
from dimco.cli.queries import read_queries, tables
from dimco.cli.sheet import check_images, check_sheet, write_sheet
from dimco.datasets.pictures import named_pictures
from dimco.errors import InputError
from dimco.search.agreement import agreement
from dimco.search.neighbours import Neighbours
from dimco.search.where import Where
from dimco.training.loop import pick_device

_SHEET = Path("neighbours.png")


def search(
    model: options.ModelFile,
    index: Annotated[Path, typer.Argument(metavar="INDEX", help="An index; with --engine ray, a folder of shards.")],
    queries: Annotated[
        list[Path],
        typer.Argument(
            metavar="QUERIES", help="Features: .npz, .npy, .parquet, .csv; or pictures and folders of them."
        ),
    ],
    n: Annotated[int, typer.Option("-n", help="Neighbours of each query.", min=1)] = 10,
    images: Annotated[
        Path | None,
        typer.Option(
            help="Images of the stored items, for a contact sheet: a folder as for dimco embed, .npz or .npy."
        ),
    ] = None,
    sheet: Annotated[
        Path | None, typer.Option(help=f"Contact sheet of pictures and neighbours; with --images {_SHEET} by default.")
    ] = None,
    backbone: Annotated[
        str | None, typer.Option(help=f"The network that made the features of pictures: {', '.join(PRETRAINED)}.")
    ] = None,
    weights: Annotated[Path | None, typer.Option(help="Its weights, as for `dimco embed`.")] = None,
    label: choice.LabelNames = None,
    ids: choice.Ids = None,
    ids_file: choice.IdsFile = None,
    not_ids: Annotated[str | None, typer.Option(help="Ids to leave out, with commas between.")] = None,
    kernel: Annotated[str | None, typer.Option(help="avx512, avx2, portable or torch; by default the best.")] = None,
    threads: Annotated[int | None, typer.Option(help="By default all cores, fewer for little work.", min=1)] = None,
    engine: Engine = "local",
    address: Address = None,
    replicas: Replicas = 1,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write all neighbours: .npz, .parquet or .json.")
    ] = None,
    device: options.Device = "auto",
    seed: options.Seed = 0,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Find the stored codes that are likeliest for each query: exact, best first, equal scores by the smaller id.

    --label, --ids and --not-ids narrow what may be found; all that are given hold. Rows of features are numbered from
    0. For pictures the positions that agree are shown too; the model takes them itself, or features of --backbone.

    Example: dimco search model.safetensors codes.index test.npz -n 10

    Example: dimco search model.safetensors codes.index photo.jpg --images photos

    Example: dimco search model.safetensors shards test.npz --engine ray
    """
    check_output(output, model, index, *queries)
    with opened_pair(model, index, engine, address, replicas) as (loaded, opened):
        where = Where(
            ids=choice.read_ids(ids, ids_file),
            labels=choice.read_labels(opened, label),
            not_ids=choice.read_ids(not_ids, None, "--not-ids"),
        )
        asked = read_queries(queries, loaded, backbone, weights)
        if asked.files is None and (images is not None or sheet is not None):
            raise InputError("expected pictures as queries with --images or --sheet; got features")
        sheet = _SHEET if sheet is None and images is not None else sheet
        if sheet is not None:
            check_sheet(sheet, *asked.files or (), images)
        pictures, names = (None, None) if images is None else named_pictures(images)
        what = "queries" if asked.files is None else "pictures"
        note(f"{asked.count:,} {what} against {len(opened):,} codes of {opened.spec}", quiet)
        loaded.to(pick_device(device))
        parts, codes, seconds = [], [], 0.0
        for table in tables(loaded, asked, quiet):
            start = time.perf_counter()
            parts.append(opened.search(table, n, where, kernel=kernel, threads=threads))
            seconds += time.perf_counter() - start
            codes.append(table.argmax(-1).numpy())
        found = _joined(parts)
        facts: dict[str, Any] = {
            "queries": len(found.ids),
            "neighbours": found.ids.shape[1],
            "items": len(opened),
            "seconds": seconds,
            "ms_per_query": 1e3 * seconds / len(found.ids),
        }
        seen = None
        if asked.files is not None:
            compared = agreement(opened, np.concatenate(codes), found.ids)
            seen = Seen([str(file) for file in asked.files], compared.agree)
            if sheet is not None:
                if images is not None:
                    check_images(pictures, found, images)
                write_sheet(sheet, asked.files, found, compared, pictures, names)
                facts["sheet"] = str(sheet)
        if output is not None:
            write_neighbours(output, found, seen)
            show({"output": str(output), **facts}, json)
        elif json:
            show({**facts, "results": list(records(found, seen))}, json)
        else:
            print_neighbours(found, seen, names)
            _note_rest(found, sheet, quiet)


def _note_rest(found: Neighbours, sheet: Path | None, quiet: bool) -> None:
    """What the table does not say."""
    left = len(found.ids) - SHOWN_QUERIES
    if found.ids.shape[1] == 0:
        note("no stored item may be found", quiet)
    elif left > 0:
        note(f"and {left:,} more queries: write all with -o, or print them with --json", quiet)
    if sheet is not None:
        note(f"wrote {sheet}", quiet)


def _joined(parts: list[Neighbours]) -> Neighbours:
    labels = [part.labels for part in parts if part.labels is not None]
    ids, scores = (np.concatenate([getattr(part, name) for part in parts]) for name in ("ids", "scores"))
    return Neighbours(ids, scores, np.concatenate(labels) if labels else None)
