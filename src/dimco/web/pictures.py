"""Pictures of items as a browser takes them."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from dimco.datasets.pictures import load_pictures

_MANY = 255.0


class Pictures:
    """Pictures by the id of their item.

    Parameters
    ----------
    pixels : anything indexed by item, of (height, width), (height, width, 1) or (height, width, 3)
    low, high : float, optional
        What is black and what is white; by default 0, and 255 for integers or 1 for floats.
    """

    def __init__(self, pixels: Any, low: float = 0.0, high: float | None = None) -> None:
        self._pixels, self._low, self._high = pixels, low, high

    def __len__(self) -> int:
        return len(self._pixels)

    def picture(self, item: int) -> Image.Image:
        """The picture of an item, in its own size."""
        pixels = np.asarray(self._pixels[item])
        if pixels.shape[2:] == (1,):
            pixels = pixels[..., 0]
        if pixels.dtype != np.uint8:
            high = self._high or (1.0 if pixels.dtype.kind == "f" else _MANY)
            scaled = (pixels.astype(np.float64) - self._low) / (high - self._low)
            pixels = (_MANY * scaled.clip(0, 1)).round().astype(np.uint8)
        return Image.fromarray(np.ascontiguousarray(pixels))


def open_pictures(path: Path) -> tuple[Pictures, list[str] | None]:
    """The pictures in a folder or a file, and the names of the classes if they stand there."""
    images = load_pictures(path)
    return Pictures(images), images.classes if path.is_dir() else class_names(path)


def class_names(path: Path) -> list[str] | None:
    """The names in the array `classes` of a .npz file, None if there are none."""
    if path.suffix.lower() != ".npz":
        return None
    with np.load(path, allow_pickle=False) as archive:
        return [str(name) for name in archive["classes"]] if "classes" in archive.files else None


def thumbnail(image: Image.Image, side: int) -> tuple[bytes, str]:
    """A picture made no larger than `side`, as bytes with their media type; small ones stay as they are."""
    small = max(image.size) <= side
    if not small:
        image = image.copy()
        image.thumbnail((side, side), Image.Resampling.LANCZOS)
    kind = "PNG" if small else "JPEG"
    output = io.BytesIO()
    image.save(output, kind, **({} if small else {"quality": 85}))
    return output.getvalue(), f"image/{kind.lower()}"
