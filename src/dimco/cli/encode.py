"""dimco encode: features to packed codes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dimco.cli import options
from dimco.cli.output import check_writable, note, show
from dimco.codes_file import write_codes
from dimco.datasets import load_data
from dimco.model import CodeModel
from dimco.training.loop import pick_device


def encode(
    model: options.ModelFile,
    data: Annotated[Path, typer.Argument(metavar="DATA", help="Features: .npz, .npy, .parquet, .csv.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the codes.")] = Path(
        "codes.safetensors"
    ),
    labels: options.Labels = None,
    device: options.Device = "auto",
    seed: options.Seed = 0,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Encode features, and write their codes bit-packed with the labels if there are any.

    Example: dimco encode model.safetensors train.npz -o codes.safetensors
    """
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
