"""dimco embed: images to embeddings."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Annotated

import typer

from dimco.backbones.pretrained import PRETRAINED, load_pretrained
from dimco.cli import options
from dimco.cli.output import note, show
from dimco.datasets import ImageFolder
from dimco.embedding import Precision, embed_images
from dimco.embedding_file import check_output
from dimco.progress import items_bar
from dimco.training.loop import pick_device

_WORKERS_WITH_CUDA = 4


def embed(
    images: Annotated[Path, typer.Argument(metavar="IMAGES", help="Folder with a sub-folder of images a class.")],
    weights: Annotated[Path, typer.Option(help="Weights of the backbone: .safetensors, or a state dict in .pt, .pth.")],
    backbone: Annotated[str, typer.Option(help=f"Network and kind of weights: {', '.join(PRETRAINED)}.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Where to write the rows: .npy, or .npz.")] = Path(
        "embeddings.npy"
    ),
    batch_size: Annotated[int, typer.Option(help="Images at a time.", min=1)] = 64,
    dtype: Annotated[Precision, typer.Option(help="Type of the rows.")] = "float16",
    workers: Annotated[
        int | None, typer.Option(help="Processes that decode images; by default 4 with CUDA, else 0.", min=0)
    ] = None,
    skip_damaged: Annotated[bool, typer.Option("--skip-damaged", help="Pass over images that cannot be read.")] = False,
    device: options.Device = "auto",
    seed: options.Seed = 0,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Write the embeddings of a folder of images, for `dimco fit` to learn from.

    EMB.npy comes with EMB.labels.npy and EMB.json beside it, and `dimco fit EMB.npy` finds the labels there.
    Images are resized, cut and scaled as the weights expect.

    Example: dimco embed photos -o photos.npy --backbone resnet50 --weights resnet50.pth
    """
    check_output(output)
    network = load_pretrained(backbone, weights)
    where = pick_device(device)
    folder = ImageFolder(images, PRETRAINED[backbone].preprocessing.cut)
    note(f"{len(folder):,} images of {len(folder.classes)} classes -> {network.out_features} features", quiet)
    with contextlib.nullcontext() if quiet else items_bar(len(folder), "images") as on_images:
        result = embed_images(
            network,
            folder,
            output,
            about={"backbone": backbone, "weights": weights.name, "images": images.name, "seed": seed},
            batch_size=batch_size,
            device=where,
            dtype=dtype,
            workers=(_WORKERS_WITH_CUDA if where.type == "cuda" else 0) if workers is None else workers,
            skip_damaged=skip_damaged,
            on_images=on_images,
        )
    for line in result.skipped:
        note(f"skipped: {line}", quiet)
    show(
        {
            "embeddings": str(output),
            "items": result.items,
            "skipped": len(result.skipped),
            "classes": len(folder.classes),
            "features": result.features,
            "dtype": dtype,
            "backbone": backbone,
            "seconds": result.seconds,
            "images_per_second": (result.items + len(result.skipped)) / result.seconds,
            "seed": seed,
        },
        json,
    )
