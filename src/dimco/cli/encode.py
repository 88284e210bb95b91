"""dimco encode: features to packed codes, and large collections to parquet."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from dimco.cli import options
from dimco.cli.engine import Address
from dimco.cli.output import check_writable, note, show
from dimco.codes_file import write_codes
from dimco.datasets import load_data
from dimco.errors import InputError
from dimco.model import CodeModel
from dimco.progress import items_bar
from dimco.training.loop import pick_device


def encode(
    model: options.ModelFile,
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA",
            help="Features: .npz, .npy, .parquet, .csv. With --engine: .parquet, or a folder of such files, or of "
            "pictures by class.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Where to write the codes: a file, codes.safetensors by default; with --engine a folder, codes.",
        ),
    ] = None,
    labels: options.Labels = None,
    engine: Annotated[
        Literal["local", "ray"] | None,
        typer.Option(help="For large collections: parts in parquet, gone on with if interrupted; here, or on Ray."),
    ] = None,
    address: Address = None,
    features: Annotated[
        list[str] | None, typer.Option(help="A column of features; may be given again. By default all.")
    ] = None,
    ids: Annotated[str | None, typer.Option(help="The column of ids; by default items are numbered.")] = None,
    backbone: Annotated[
        str | None, typer.Option(help="The network that gives the model's features of pictures, as in `dimco embed`.")
    ] = None,
    weights: Annotated[Path | None, typer.Option(help="Its weights.")] = None,
    skip_damaged: Annotated[
        bool, typer.Option("--skip-damaged", help="Pass over pictures that cannot be read.")
    ] = False,
    workers: Annotated[
        int | None, typer.Option(help="Processes on Ray that encode; by default one for each GPU, or processor.", min=1)
    ] = None,
    device: options.Device = "auto",
    seed: options.Seed = 0,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Encode features, and write their codes bit-packed with the labels if there are any.

    With --engine a collection of any size is read and written a part at a time, and what is written is the same on one
    machine and on many. The same command goes on with an interrupted run.

    Example: dimco encode model.safetensors train.npz -o codes.safetensors

    Example: dimco encode model.safetensors embeddings/ -o codes --engine ray
    """
    chosen = {"features": features, "ids": ids, "backbone": backbone, "weights": weights, "skip_damaged": skip_damaged}
    where = {"address": address, "workers": workers}
    if engine != "ray":
        _refuse_all("--engine ray", where)
    if engine is None:
        _refuse_all("--engine", chosen)
        _encode_file(model, data, output or Path("codes.safetensors"), labels, device, seed, json, quiet)
        return
    columns = {**chosen, "labels": labels}
    _encode_collection(
        model, data, output or Path("codes"), columns, {"engine": engine, "device": device, **where}, json, quiet
    )


def _encode_file(
    model: Path, data: Path, output: Path, labels: str | None, device: str, seed: int, json: bool, quiet: bool
) -> None:
    check_writable(output, "codes", model, data)
    loaded = CodeModel.load(model).to(pick_device(device))
    items = load_data(data, labels)
    note(f"{len(items.x):,} items -> {loaded.spec}", quiet)
    codes = loaded.encode(items.x)
    write_codes(output, codes, items.y, {"model": model.name, "data": data.name, "seed": seed})
    show(
        {
            "codes": str(output),
            "items": len(codes),
            "code": str(loaded.spec),
            "bits": loaded.spec.bits,
            "bytes": codes.nbytes,
            "ratio": loaded.spec.ratio(items.x.shape[1]),
        },
        json,
    )


def _encode_collection(
    model: Path, data: Path, output: Path, chosen: dict[str, Any], where: dict[str, Any], json: bool, quiet: bool
) -> None:
    from dimco.cluster.encoding.run import encode_collection
    from dimco.cluster.encoding.work import plan_work

    start = time.perf_counter()
    work = plan_work(model, data, **chosen)
    parts = len(work.source.sizes)
    note(f"{work.source.items:,} items in {parts:,} part{'s' * (parts != 1)} -> {work.spec}", quiet)
    with contextlib.nullcontext() if quiet else items_bar(work.source.items, "items") as on_items:
        done = encode_collection(work, output, on_items=on_items, **where)
    for line in done.skipped:
        note(f"skipped: {line}", quiet)
    seconds, encoded = time.perf_counter() - start, done.items - done.items_kept
    show(
        {
            "codes": str(output),
            "items": done.items,
            "parts": done.parts,
            "parts_kept": done.parts_kept,
            "skipped": len(done.skipped) if chosen["skip_damaged"] else None,
            "code": str(work.spec),
            "bits": work.spec.bits,
            "engine": where["engine"],
            "seconds": seconds,
            "items_per_second": encoded / seconds,
        },
        json,
    )


def _refuse_all(without: str, given: Mapping[str, Any]) -> None:
    name = next((name for name, value in given.items() if value), None)
    if name is not None:
        raise InputError(f"expected {without} with --{name.replace('_', '-')}")
