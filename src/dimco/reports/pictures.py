"""Pictures of items laid out as one array of pixels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dimco.errors import InputError
from dimco.extras import require

Pixels = NDArray[np.uint8]
_WHITE = 255


def picture(image: Any, side: int) -> Pixels:
    """One image as (side, side, 3) bytes, its shape kept on white; small ones are enlarged smoothly.

    Parameters
    ----------
    image : array of shape (height, width), (height, width, 1) or (height, width, 3)
        Bytes 0..255, or floats from 0 to 1.
    side : int
    """
    pixels = np.asarray(image)
    if pixels.ndim == 3 and pixels.shape[2] == 1:
        pixels = pixels[..., 0]
    if pixels.ndim not in (2, 3) or 0 in pixels.shape or (pixels.ndim == 3 and pixels.shape[2] != 3):
        raise InputError(f"expected images of shape (height, width) or (height, width, 3); got {pixels.shape}")
    if np.issubdtype(pixels.dtype, np.floating):
        pixels = (255 * pixels.clip(0, 1)).round()
    pillow = require("PIL.Image")
    scale = side / max(pixels.shape[:2])
    height, width = (max(1, round(scale * length)) for length in pixels.shape[:2])
    colour = pillow.fromarray(pixels.astype(np.uint8)).convert("RGB")
    resized = np.asarray(colour.resize((width, height), pillow.Resampling.LANCZOS))
    framed = np.full((side, side, 3), _WHITE, dtype=np.uint8)
    top, left = (side - height) // 2, (side - width) // 2
    framed[top : top + height, left : left + width] = resized
    return framed


def mosaic(images: Any, rows: Sequence[Sequence[int]], side: int, gap: int) -> Pixels:
    """A grid of pictures, `side` pixels each with `gap` between, a row for each list of items.

    Parameters
    ----------
    images : anything indexed by item
    rows : sequence of lists of items
        May be of several lengths; the rest of a short row is white.
    side, gap : int
    """
    columns = max((len(row) for row in rows), default=0)
    step = side + gap
    grid = np.full((len(rows) * step, max(1, columns) * step, 3), _WHITE, dtype=np.uint8)
    for line, row in enumerate(rows):
        for column, item in enumerate(row):
            grid[line * step :, column * step :][:side, :side] = picture(images[item], side)
    return grid
