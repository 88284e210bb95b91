"""From a tree of images to the arrays that retrieval trains on: `python -m dimco.experiments.retrieval.pack`.

usage: python -m dimco.experiments.retrieval.pack TREE -o NAME.npy [--layout auto|cub|cars|folder] [--classes FILE]
                                                  [--size 256] [--threads 2]

NAME.npy holds the pixels, (N, 3, size, size), and is written as they are decoded; beside it come NAME.labels.npy and
NAME.classes.json. The shorter side of an image is resized to the size, and a square is cut from the middle.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from dimco.atomic import atomic_path, write_text
from dimco.datasets.cars import META, WHOLE, cars_images
from dimco.datasets.class_images import ClassImages, folder_classes
from dimco.datasets.cub import LISTS, cub_images
from dimco.datasets.decoded import decoded
from dimco.datasets.files import labels_beside
from dimco.errors import DimcoError, ForeignFileError, InputError
from dimco.npy_rows import npy_rows

LAYOUTS = ("auto", "cub", "cars", "folder")
SIZE = 256
_AT_ONCE = 256


def read_tree(root: Path, layout: str = "auto", classes: Path | None = None) -> ClassImages:
    """The images of a tree; "auto" knows the official layouts by their lists."""
    if layout not in LAYOUTS:
        raise InputError(f"expected a layout of {', '.join(LAYOUTS)}; got {layout!r}")
    official = layout == "auto" and classes is None
    if layout == "cub" or (official and all((root / name).exists() for name in LISTS)):
        return cub_images(root)
    if layout == "cars" or (official and ((root / WHOLE).exists() or any(root.glob(f"**/{META}")))):
        return cars_images(root)
    return folder_classes(root, classes)


def pack(
    images: ClassImages,
    output: Path,
    size: int = SIZE,
    threads: int = 2,
    on_images: Callable[[int], None] | None = None,
) -> None:
    """Write the arrays; no more than a few hundred images are in memory."""
    if output.suffix != ".npy":
        raise ForeignFileError(f"expected a file of pixels, .npy; got {output.name}")
    with npy_rows(output, (3, size, size), np.uint8) as rows:
        for start in range(0, len(images.files), _AT_ONCE):
            rows.append(decoded(images.files[start : start + _AT_ONCE], size, threads))
            if on_images is not None:
                on_images(rows.rows)
    with atomic_path(labels_beside(output)) as temporary, temporary.open("wb") as out:
        np.save(out, images.labels)
    cut = images.training_classes
    split = {"train": images.classes[:cut], "test": images.classes[cut:]}
    write_text(output.with_suffix(".classes.json"), json.dumps(split))


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="dimco.experiments.retrieval.pack", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("tree", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--layout", choices=LAYOUTS, default="auto")
    parser.add_argument("--classes", type=Path)
    parser.add_argument("--size", type=int, default=SIZE)
    parser.add_argument("--threads", type=int, default=2)
    asked = parser.parse_args(arguments)
    try:
        images = read_tree(asked.tree, asked.layout, asked.classes)
        total = len(images.files)
        pack(images, asked.output, asked.size, asked.threads, lambda done: _say(done, total))
    except DimcoError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    return 0


def _say(done: int, total: int) -> None:
    sys.stdout.write(f"{done:,} of {total:,} images\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
