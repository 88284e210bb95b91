"""A contact sheet: each query at the left, its neighbours after it, and the positions whose symbols agree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dimco.reports.figure import PIXELS_PER_INCH, new_figure
from dimco.reports.one_line import one_line
from dimco.reports.pictures import picture
from dimco.reports.squares import NUMBERED, squares

_SIDE, _GAP, _AFTER_QUERY = 150, 20, 28
_MARGIN, _HEAD, _LINE, _ROW_GAP = 30, 118, 25, 30
_LETTERS = 14
_QUIET, _EMPTY = "#555555", 238


@dataclass(frozen=True)
class SheetCell:
    """A picture with what stands below it.

    Attributes
    ----------
    image : array as `dimco.reports.pictures.picture` takes it, or None
    title, detail : str
        In bold, and in small letters below it.
    code : ndarray of shape (d,)
    agree : ndarray of shape (d,), bool, or None
        None for a query: its own code.
    """

    image: Any | None
    title: str
    detail: str
    code: NDArray[Any]
    agree: NDArray[np.bool_] | None


def contact_sheet(rows: Sequence[Sequence[SheetCell]], title: str, caption: str) -> Any:
    """A matplotlib figure: a row for each query, which is the first of its cells."""
    strips = [[squares(cell.code, cell.agree, _SIDE) for cell in row] for row in rows]
    below = 2 * _LINE + 16 + strips[0][0].shape[0]
    step = _SIDE + below + _ROW_GAP
    longest = max(len(row) for row in rows)
    width = max(2 * _MARGIN + longest * (_SIDE + _GAP) + _AFTER_QUERY, 2 * _MARGIN + 10 * len(caption))
    height = _HEAD + len(rows) * step
    canvas = np.full((height, width, 3), 255, dtype=np.uint8)
    figure = new_figure(width / PIXELS_PER_INCH, height / PIXELS_PER_INCH)
    page = figure.add_axes((0, 0, 1, 1))
    page.set_axis_off()
    for line, row in enumerate(rows):
        for place, cell in enumerate(row):
            left = _MARGIN + place * (_SIDE + _GAP) + (_AFTER_QUERY if place else 0)
            _draw(page, canvas, cell, strips[line][place], left, _HEAD + line * step)
    page.imshow(canvas, extent=(0, width, height, 0), aspect="auto", interpolation="none")
    page.set(xlim=(0, width), ylim=(height, 0))
    page.text(_MARGIN, _MARGIN + 10, title, fontsize=12, weight="bold", va="center")
    page.text(_MARGIN, _MARGIN + 44, caption, fontsize=9, color=_QUIET, va="center")
    return figure


def _draw(page: Any, canvas: NDArray[np.uint8], cell: SheetCell, strip: NDArray[np.uint8], left: int, top: int) -> None:
    """One cell: the picture, two lines, and the squares of its code."""
    place = canvas[top : top + _SIDE, left : left + _SIDE]
    place[:] = _EMPTY if cell.image is None else picture(cell.image, _SIDE)
    page.text(left, top + _SIDE + 16, one_line(cell.title, _LETTERS), fontsize=8, weight="bold", va="center")
    page.text(left, top + _SIDE + 16 + _LINE, cell.detail, fontsize=7.5, color=_QUIET, va="center")
    start = top + _SIDE + 16 + 2 * _LINE - 6
    canvas[start : start + strip.shape[0], left : left + strip.shape[1]] = strip
    if len(cell.code) > NUMBERED:
        return
    wide = _SIDE / len(cell.code)
    for number, symbol in enumerate(cell.code.tolist()):
        agrees = cell.agree is None or cell.agree[number]
        middle = left + (number + 0.5) * wide
        colour = "white" if agrees else _QUIET
        page.text(
            middle, start + strip.shape[0] / 2, str(symbol), fontsize=7, color=colour, ha="center", va="center_baseline"
        )
