"""Maps of a codebook: how much each symbol is used, what it tells, and what positions share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dimco.codebook import Codebook
from dimco.reports.figure import new_figure
from dimco.reports.one_line import one_line, with_share

_QUIET, _DEAD = "#555555", "#c8c8c8"
_MOST_WRITTEN, _LETTERS = 256, 17
_TITLE_LETTER, _CAPTION_LETTER = 0.118, 0.072


def usage_figure(codebook: Codebook, title: str) -> Any:
    """Share of the items given each symbol, a row a position; symbols no item is given are grey."""
    d, k = codebook.usage.shape
    shares = 100 * codebook.usage / len(codebook)
    caption = f"Percent of {len(codebook):,} items given each symbol; even use would be {100 / k:.1f}. Grey: not used."
    axes = _axes(1.6 + 0.52 * min(k, 64), 1.5 + 0.42 * min(d, 64), title, caption)
    _cells(axes, shares, codebook.usage == 0, "cividis")
    axes.set_xlabel("symbol", fontsize=10)
    axes.set_ylabel("position", fontsize=10)
    _ticks(axes, d, k)
    if shares.size <= _MOST_WRITTEN:
        words = [[f"{value:.1f}" if value else "" for value in row] for row in shares]
        _write(axes, words, shares < shares[shares > 0].min() + 0.5 * np.ptp(shares[shares > 0]))
    return axes.figure


def code_map_figure(codebook: Codebook, title: str) -> Any:
    """Bits that each symbol tells about the label, with its main class; a column a position, a row a symbol."""
    records = codebook.summary(top=1)
    d, k = codebook.usage.shape
    information = np.array([record["information"] for record in records]).reshape(d, k).T
    named = np.array([_named(record) for record in records]).reshape(d, k).T
    caption = "Colour: bits that having the symbol, yes or no, tells about the label. In words: its main class."
    axes = _axes(1.4 + 1.75 * min(d, 16), 1.5 + 0.34 * min(k, 64), title, caption)
    _cells(axes, information, (codebook.usage == 0).T, "Blues", (0.0, float(information.max()) or 1.0))
    axes.set_xlabel("position", fontsize=10)
    axes.set_ylabel("symbol", fontsize=10)
    _ticks(axes, k, d)
    if named.size <= _MOST_WRITTEN:
        _write(axes, named.tolist(), information > 0.6 * information.max(), size=7.5)
    return axes.figure


def pairs_figure(codebook: Codebook, title: str) -> Any:
    """Bits that each two positions share; 0 where they are independent. The diagonal is left out."""
    d = codebook.spec.d
    shared = codebook.pairwise_information()
    copy = float(np.diag(shared).min())
    np.fill_diagonal(shared, np.nan)
    caption = f"Bits shared by two positions: 0 where independent, {copy:.2f} (dark) for a copy."
    axes = _axes(max(4.6, 1.8 + 0.62 * min(d, 32)), 1.7 + 0.5 * min(d, 32), title, caption)
    _cells(axes, shared, np.isnan(shared), "Blues", (0.0, copy or 1.0))
    axes.set_xlabel("position", fontsize=10)
    axes.set_ylabel("position", fontsize=10)
    _ticks(axes, d, d)
    if shared.size <= _MOST_WRITTEN:
        words = [["" if np.isnan(value) else f"{value:.2f}" for value in row] for row in shared]
        _write(axes, words, np.nan_to_num(shared) > 0.6 * copy)
    return axes.figure


def _axes(width: float, height: float, title: str, caption: str) -> Any:
    """Axes below a heading, in a figure at least as wide as it."""
    width = max(width, 0.4 + _TITLE_LETTER * len(title), 0.4 + _CAPTION_LETTER * len(caption))
    figure = new_figure(width, height)
    figure.text(0.2 / width, 1 - 0.25 / height, title, fontsize=12, weight="bold", va="center")
    figure.text(0.2 / width, 1 - 0.52 / height, caption, fontsize=9, color=_QUIET, va="center")
    return figure.add_axes((0.8 / width, 0.6 / height, 1 - 1.0 / width, 1 - 1.35 / height))


def _cells(
    axes: Any, values: NDArray[Any], grey: NDArray[np.bool_], colours: str, limits: tuple[float, float] | None = None
) -> None:
    low, high = limits or (None, None)
    axes.imshow(np.ma.masked_array(values, mask=grey), cmap=colours, vmin=low, vmax=high, aspect="auto")
    axes.set_facecolor(_DEAD)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def _ticks(axes: Any, rows: int, columns: int) -> None:
    """Every row and column numbered while there are few, else every eighth."""
    for axis, count in ((axes.yaxis, rows), (axes.xaxis, columns)):
        places = range(0, count, 1 if count <= 32 else max(1, count // 16))
        axis.set_ticks(list(places), [str(place) for place in places], fontsize=9)


def _write(axes: Any, words: list[list[str]], dark: NDArray[np.bool_], size: float = 8.5) -> None:
    """A word in each cell, white on dark cells."""
    for row, line in enumerate(words):
        for column, word in enumerate(line):
            colour = "white" if dark[row, column] else "black"
            axes.text(column, row, word, ha="center", va="center", fontsize=size, color=colour)


def _named(record: dict[str, Any]) -> str:
    """The main class of a symbol with its share."""
    if not record["top_classes"]:
        return ""
    main = record["top_classes"][0]
    return with_share(one_line(main["class"], _LETTERS), main["share"])
