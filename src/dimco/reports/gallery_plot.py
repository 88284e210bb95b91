"""The gallery: a row for each symbol, with pictures of its items or bars of their classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dimco.reports.figure import COLOURS, PIXELS_PER_INCH, new_figure
from dimco.reports.gallery_rows import GalleryRow
from dimco.reports.one_line import with_share
from dimco.reports.pictures import mosaic

_SIDE, _GAP = 60, 4
_BAR_HEIGHT, _BAR_WIDTH = 50, 360
_MARGIN, _HEAD, _BETWEEN = 24, 104, 30
_QUIET, _DEAD = "#555555", "#999999"
_LETTER, _BOLD_LETTER = 11, 13
_CLASSES = "most frequent classes"


def gallery_figure(blocks: Sequence[Sequence[GalleryRow]], images: Any | None, title: str, caption: str) -> Any:
    """A matplotlib figure of rows in blocks, with space between the blocks.

    Parameters
    ----------
    blocks : sequence of lists of GalleryRow
    images : anything indexed by item, or None
        Arrays of bytes (height, width) or (height, width, 3); without them a row shows bars of its classes.
    title, caption : str
    """
    rows = [row for block in blocks for row in block]
    step = (_SIDE if images is not None else _BAR_HEIGHT) + _GAP
    wide = max((len(row.items) for row in rows), default=1) * step if images is not None else _BAR_WIDTH
    words = max((max(map(len, _words(row, images).split("\n"))) for row in rows), default=0)
    left = _MARGIN + _BOLD_LETTER * (1 + max((len(row.heading) for row in rows), default=0))
    right = left + wide + _MARGIN + _LETTER * max(words, len(_CLASSES))
    width = 2 * _MARGIN + max(right, _LETTER * max(len(caption), len(title) * 4 // 3))
    height = _HEAD + len(rows) * step + (len(blocks) - 1) * _BETWEEN + 2 * _MARGIN
    figure = new_figure(width / PIXELS_PER_INCH, height / PIXELS_PER_INCH)
    page = figure.add_axes((0, 0, 1, 1))
    page.set(xlim=(0, width), ylim=(height, 0))
    page.set_axis_off()
    page.text(_MARGIN, _MARGIN + 14, title, fontsize=12, weight="bold", va="center")
    page.text(_MARGIN, _MARGIN + 46, caption, fontsize=9, color=_QUIET, va="center")
    page.text(left + wide + 14, _HEAD, _CLASSES, fontsize=8, color=_QUIET)
    top = _HEAD + _MARGIN - 8
    for block in blocks:
        _draw_block(page, block, images, left, top, step, wide)
        top += len(block) * step + _BETWEEN
    page.set(xlim=(0, width), ylim=(height, 0))
    return figure


def _draw_block(
    page: Any, rows: Sequence[GalleryRow], images: Any | None, left: int, top: int, step: int, wide: int
) -> None:
    """Rows from `top` down, `step` pixels each, their pictures from `left` on."""
    if images is not None:
        grid = mosaic(images, [row.items for row in rows], step - _GAP, _GAP)
        extent = (left, left + grid.shape[1], top + grid.shape[0], top)
        page.imshow(grid, extent=extent, aspect="auto", interpolation="none")
    for number, row in enumerate(rows):
        middle = top + number * step + (step - _GAP) / 2
        colour = _DEAD if row.dead else "black"
        page.text(_MARGIN, middle - 11, row.heading, fontsize=9, weight="bold", color=colour, va="center")
        page.text(_MARGIN, middle + 12, row.detail, fontsize=8, color=_DEAD if row.dead else _QUIET, va="center")
        if images is None:
            _draw_bar(page, row, left, middle, step, wide)
        page.text(left + wide + 14, middle, _words(row, images), fontsize=8, va="center", linespacing=1.15)


def _draw_bar(page: Any, row: GalleryRow, left: int, middle: float, step: int, wide: int) -> None:
    """Shares of the row's main classes side by side; grey is the rest."""
    height, start = 0.6 * step, float(left)
    for place, (_, share) in enumerate(row.classes):
        page.barh(middle, share * wide, height, start, color=COLOURS[place])
        start += share * wide
    page.barh(middle, left + wide - start, height, start, color="#e4e4e4")


def _words(row: GalleryRow, images: Any | None) -> str:
    """The main classes, one below the other beside pictures and in one line beside a bar."""
    between = ", " if images is None else "\n"
    return between.join(with_share(name, share) for name, share in row.classes)
