"""Features that are the grey pixels of a small picture, and the way of a dropped picture into them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from dimco.errors import InputError
from dimco.picture_routes import Features

_LOOKED_AT = 1_000
_WORKED_ON = 256
_INK, _EVEN = 0.25, 0.6

Grid = NDArray[np.float64]


class GreyPixels:
    """Pictures of rows x columns pixels, written row by row as features.

    A dropped picture becomes as dark, as light and, where the stored ones are drawings on an even ground, as large
    within its frame as they are; otherwise one drawn in black on white would be compared with white on black, and a
    small one with large ones.

    Parameters
    ----------
    rows, columns : int
    x : ndarray of shape (N, rows * columns)
        The features of items.

    Attributes
    ----------
    low, high : float
        The features' range: black and white.
    """

    def __init__(self, rows: int, columns: int, x: NDArray[Any]) -> None:
        if x.ndim != 2 or x.shape[1] != rows * columns:
            raise InputError(f"expected {rows * columns} features for pixels of {rows}x{columns}; got {x.shape[1:]}")
        self.rows, self.columns = rows, columns
        self.low, self.high = float(x.min()), float(x.max())
        if not self.low < self.high:
            raise InputError(f"expected pixels that differ; all are {self.low}")
        self.description = f"turned into {rows} by {columns} grey pixels"
        some = np.asarray(x[:_LOOKED_AT], dtype=np.float64).reshape(-1, rows, columns)
        scaled = (some - self.low) / (self.high - self.low)
        self._ground = float(np.median([_ground(grid) for grid in scaled]))
        self._height = None
        if np.mean([_is_even(grid) for grid in scaled]) > 0.5:
            boxes = [_ink(grid, self._ground) for grid in scaled]
            self._height = max(1, int(np.median([box[1] - box[0] for box in boxes if box is not None])))

    def features(self, picture: Image.Image) -> Features:
        """The features of a picture, and what was done to it."""
        grey = picture.convert("L")
        grey.thumbnail((_WORKED_ON, _WORKED_ON), Image.Resampling.BOX)
        values = np.asarray(grey, dtype=np.float64) / 255
        done = [f"Turned into {self.rows} by {self.columns} grey pixels, as the stored pictures are"]
        if abs(1 - _ground(values) - self._ground) < abs(_ground(values) - self._ground):
            values = 1 - values
            done.append("dark and light exchanged")
        box = _ink(values, _ground(values)) if self._height is not None and _is_even(values) else None
        if box is not None:
            grid = self._placed(values[box[0] : box[1], box[2] : box[3]])
            done.append("the drawing made as large as theirs")
        else:
            grid = _resized(values, self.rows, self.columns)
        scaled = self.low + (self.high - self.low) * grid
        return Features(scaled.reshape(1, -1).astype(np.float32), f"{', '.join(done)}.")

    def _placed(self, drawn: Grid) -> Grid:
        """A drawing in the middle of a picture, as high as drawings are and not wider than the picture."""
        scale = min((self._height or self.rows) / drawn.shape[0], self.columns / drawn.shape[1])
        height, width = (max(1, round(scale * side)) for side in drawn.shape)
        grid = np.full((self.rows, self.columns), self._ground)
        top, left = (self.rows - height) // 2, (self.columns - width) // 2
        grid[top : top + height, left : left + width] = _resized(drawn, height, width)
        return grid


def _border(grid: Grid) -> Grid:
    return np.concatenate([grid[0], grid[-1], grid[1:-1, 0], grid[1:-1, -1]])


def _ground(grid: Grid) -> float:
    """How light the border of a picture is."""
    return float(np.median(_border(grid)))


def _is_even(grid: Grid) -> bool:
    """Whether most of the border is of one lightness."""
    return bool((np.abs(_border(grid) - _ground(grid)) < _INK).mean() > _EVEN)


def _ink(grid: Grid, ground: float) -> tuple[int, int, int, int] | None:
    """The rows and columns between which a picture differs from its ground."""
    drawn = np.abs(grid - ground) > _INK
    rows, columns = np.flatnonzero(drawn.any(1)), np.flatnonzero(drawn.any(0))
    return None if rows.size == 0 else (int(rows[0]), int(rows[-1]) + 1, int(columns[0]), int(columns[-1]) + 1)


def _resized(grid: Grid, rows: int, columns: int) -> Grid:
    image = Image.fromarray(grid.astype(np.float32))
    return np.asarray(image.resize((columns, rows), Image.Resampling.BOX), dtype=np.float64)
