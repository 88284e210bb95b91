"""Where the panels of a symbol picture stand, in units of one cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_CELL = 0.34
_MARGIN, _TITLE, _LABELS, _GAP, _BETWEEN = 0.6, 2.4, 3.6, 0.4, 1.4
_LETTER, _UPRIGHT = 0.26, 3
_CAPTION, _NARROWEST = 24, 14


class SymbolLayout:
    """Panels in two columns, each a heat map with labels around it and a mosaic of examples at its right.

    Parameters
    ----------
    rows : sequence of int
        Used symbols of each position.
    names : sequence of str
        The classes; names longer than three letters stand upright.
    examples : int
        Images a row, 0 for none.
    """

    def __init__(self, rows: Sequence[int], names: Sequence[str], examples: int) -> None:
        self.rows, self.examples = rows, examples
        self.heat = len(names)
        longest = max(map(len, names))
        self.rotation = 90 if longest > _UPRIGHT else 0
        self.names_height = 1.0 if not self.rotation else longest * _LETTER + 0.4
        self._head = self.names_height + 1.4
        self._panel = max(_LABELS + self.heat + (_GAP + examples if examples else 0), _NARROWEST)
        self._columns = min(2, len(rows))
        self._bands = [max(rows[i : i + self._columns]) + self._head for i in range(0, len(rows), self._columns)]
        panels = self._columns * self._panel + (self._columns - 1) * _BETWEEN
        self._width = 2 * _MARGIN + max(panels, _CAPTION)
        self._height = _TITLE + sum(self._bands) + (len(self._bands) - 1) * _GAP + _MARGIN

    @property
    def inches(self) -> tuple[float, float]:
        """Width and height of the figure."""
        return self._width * _CELL, self._height * _CELL

    def place(self, right: float, down: float) -> tuple[float, float]:
        """A point in figure coordinates, from cells right of and below the upper left corner of the margins."""
        return (_MARGIN + right) / self._width, 1 - (_MARGIN + down) / self._height

    def axes(self, figure: Any, position: int) -> tuple[Any, Any]:
        """The axes of a position's heat map and of its examples, None without examples."""
        band, column = divmod(position, self._columns)
        left = _MARGIN + column * (self._panel + _BETWEEN) + _LABELS
        top = _TITLE + sum(self._bands[:band]) + band * _GAP + self._head
        heat = figure.add_axes(self._box(left, top, self.heat, self.rows[position]))
        if not self.examples:
            return heat, None
        return heat, figure.add_axes(self._box(left + self.heat + _GAP, top, self.examples, self.rows[position]))

    def _box(self, left: float, top: float, width: float, height: float) -> tuple[float, float, float, float]:
        bottom = self._height - top - height
        return left / self._width, bottom / self._height, width / self._width, height / self._height
