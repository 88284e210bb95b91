"""Pictures of items as a browser takes them."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from PIL import Image

from dimco.datasets.pictures import as_image, named_pictures


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
        return as_image(self._pixels[item], self._low, self._high)


def open_pictures(path: Path) -> tuple[Pictures, list[str] | None]:
    """The pictures in a folder or a file, and the names of the classes if they stand there."""
    images, classes = named_pictures(path)
    return Pictures(images), classes


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
