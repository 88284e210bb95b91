"""dimco gallery: pictures of what every symbol of a model means."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from dimco.cli import options
from dimco.cli.output import note, show
from dimco.datasets import load_data
from dimco.datasets.pictures import load_pictures
from dimco.model import CodeModel
from dimco.training.loop import pick_device

_ITEMS_A_CODEWORD = 10


def gallery(
    model: options.ModelFile,
    data: Annotated[Path, typer.Argument(metavar="DATA", help="Features: .npz, .npy, .parquet, .csv.")],
    images: Annotated[
        Path | None, typer.Option(help="Images of the same items: a folder as given to dimco embed, .npz or .npy.")
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder to write to.")] = Path("gallery"),
    top: Annotated[int, typer.Option(min=1, max=50, help="Images a symbol.")] = 10,
    positions: Annotated[int, typer.Option(min=1, help="Positions to draw, the first ones.")] = 16,
    labels: options.Labels = None,
    device: options.Device = "auto",
    seed: options.Seed = 0,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Draw what symbols mean: maps of use and information, combinations, and the top images of every symbol.

    Without images, the classes of each symbol are drawn. summary.json holds the numbers, a record a symbol.

    Example: dimco gallery model.safetensors test.npz --images photos -o gallery
    """
    import json as json_module

    from dimco.atomic import write_text
    from dimco.codebook import Codebook
    from dimco.experiments.demo_files import make_folder
    from dimco.extras import require
    from dimco.reports.gallery import write_gallery

    require("matplotlib")
    loaded = CodeModel.load(model).to(pick_device(device))
    items = load_data(data, labels)
    pictures = None if images is None else load_pictures(images, len(items.x))
    codebook = Codebook(loaded, items.x, items.y, class_names(data, items.y))
    folder = make_folder(output)
    written = write_gallery(
        codebook,
        folder,
        pictures,
        name=data.name,
        top=top,
        positions=positions,
        on_file=lambda path: note(f"wrote {path}", quiet),
    )
    records = codebook.summary()
    write_text(folder / "summary.json", json_module.dumps({"rows": records}, indent=1) + "\n")
    correlation = codebook.total_correlation()
    each = correlation.items / correlation.codewords
    if each < _ITEMS_A_CODEWORD:
        note(f"total correlation is too large with {each:.1f} items a codeword; take more data to trust it", quiet)
    show(
        {
            "folder": str(folder),
            "files": len(written.files) + 1,
            "items": len(codebook),
            "code": str(codebook.spec),
            "dead_symbols": sum(record["dead"] for record in records),
            "total_correlation_bits": correlation.corrected,
            "items_a_codeword": each,
        },
        json,
    )


def class_names(data: Path, labels: Any) -> list[str] | None:
    """The array `classes` of an .npz, where its labels are places in it."""
    import numpy as np

    if labels is None or data.suffix.lower() != ".npz" or labels.dtype.kind not in "iu":
        return None
    with np.load(data, allow_pickle=False) as archive:
        names = archive["classes"] if "classes" in archive.files else None
    return None if names is None or labels.max() >= len(names) else [str(name) for name in names]
