"""Image files of one kind decoded into one array, by several threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dimco.backbones.preprocessing import Preprocessing
from dimco.datasets.image_folder import SUFFIXES, ImageFolder
from dimco.errors import ForeignFileError, InputError, MissingFileError

if TYPE_CHECKING:
    from PIL.Image import Image

_THREADS = 2


def decoded(files: Sequence[Path], size: int | None = None, threads: int = _THREADS) -> NDArray[np.uint8]:
    """The pixels of images, (N, 3, height, width).

    Parameters
    ----------
    files : sequence of Path
    size : int, optional
        The shorter side is resized to it and a square is cut from the middle. Without it all images must come in
        one size.
    threads : int
        Pillow lets other threads run while it decodes.
    """
    if not files:
        raise InputError("expected images to decode; got none")
    cut = None if size is None else Preprocessing(size, size, 255.0, (0.0, 0.0, 0.0)).cut
    first = _pixels(files[0], cut)
    pixels: NDArray[np.uint8] = np.empty((len(files), *first.shape), np.uint8)

    def place(number: int) -> None:
        one = _pixels(files[number], cut)
        if one.shape != first.shape:
            sizes = " and ".join(f"{width} x {height}" for _, height, width in (first.shape, one.shape))
            raise InputError(f"expected images of one size; {files[number]} makes it {sizes}: name a size")
        pixels[number] = one

    with ThreadPoolExecutor(threads) as pool:
        try:
            for _ in pool.map(place, range(len(files))):
                pass
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return pixels


def image_files(root: Path) -> list[Path]:
    """All image files of a folder tree, in the order of their paths; hidden ones are passed over."""
    if not root.exists():
        raise MissingFileError(f"no such folder: {root}")
    if not root.is_dir():
        raise ForeignFileError(f"expected a folder of images; {root} is a file")
    files = sorted(file for file in root.rglob("*") if file.suffix.lower() in SUFFIXES)
    hidden = len(root.parts)
    visible = [file for file in files if not any(part.startswith(".") for part in file.parts[hidden:])]
    if not visible:
        raise InputError(f"expected images ({', '.join(SUFFIXES)}) in {root}; got none")
    return visible


def _pixels(file: Path, cut: Callable[[Image], Image] | None) -> NDArray[np.uint8]:
    with ImageFolder.decode(file) as image:
        pixels = np.asarray(image if cut is None else cut(image))
    return pixels.transpose(2, 0, 1)
