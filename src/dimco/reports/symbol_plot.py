"""What symbols mean: the classes and the typical images of every symbol of a small code."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dimco.errors import InputError
from dimco.reports.figure import new_figure
from dimco.reports.symbol_classes import class_shares, reading_order, symbol_class_counts
from dimco.reports.symbol_layout import SymbolLayout

Measure = Literal["share", "lift"]

MOST_CELLS = 512
_QUIET, _TINY = "#555555", 1e-12
_WRITTEN = {"share": 0.1, "lift": 1.0}
_CAPTIONS = {
    "share": "Of the items given a symbol, how many percent are of each class.",
    "lift": "How many times more frequent each class is among the items given a symbol than among all.",
}


def symbol_figure(
    log_probs: ArrayLike,
    labels: NDArray[np.int64],
    classes: Sequence[Any],
    images: NDArray[Any] | None = None,
    measure: Measure = "share",
    examples: int = 7,
    title: str = "",
) -> Any:
    """A matplotlib figure with one panel a position and one row a used symbol.

    A row shows which classes the items given that symbol come from, and which of those the model is surest about.
    Rows are ordered by their main class, so a clean code draws a falling diagonal.

    Parameters
    ----------
    log_probs : array of shape (N, d, k)
        log p of each symbol (eq. 2).
    labels : ndarray of shape (N,)
        Class indices.
    classes : sequence
        Names of the classes.
    images : ndarray of shape (N, height, width) or (N, height, width, 3), optional
        Without them the heat maps stand alone.
    measure : {"share", "lift"}, default="share"
        "share" is each class's percentage of the symbol's items; "lift" is how many times more frequent
        the class is there than among all items, for classes of unequal size.
    examples : int, default=7
        Images a symbol.
    title : str
    """
    p, names = np.asarray(log_probs), [str(name) for name in classes]
    _check(p, labels, len(names), images, measure)
    counts = symbol_class_counts(p.argmax(-1), labels, p.shape[2], len(names))
    values = class_shares(counts)
    if measure == "lift":
        values = values / np.maximum(np.bincount(labels, minlength=len(names)) / len(labels), _TINY)
    top = 1.0 if measure == "share" else float(values.max())
    rows = [reading_order(position) for position in values]
    layout = SymbolLayout([len(row) for row in rows], names, 0 if images is None else min(examples, len(p)))
    figure = new_figure(*layout.inches)
    figure.text(*layout.place(0, 0.2), title, fontsize=15, weight="bold", va="center")
    figure.text(*layout.place(0, 1.2), _CAPTIONS[measure], fontsize=11, color=_QUIET, va="center")
    for position, symbols in enumerate(rows):
        heat, mosaic = layout.axes(figure, position)
        _draw_heat(heat, values[position, symbols], names, measure, top, layout.rotation)
        _draw_labels(heat, symbols, counts[position, symbols].sum(1))
        head = f"position {position}: {len(symbols)} of {p.shape[2]} symbols used"
        heat.text(-0.5, -0.7 - layout.names_height, head, va="bottom", fontsize=12, weight="bold")
        if mosaic is not None and images is not None:
            _draw_examples(mosaic, p[:, position], symbols, images, layout.examples)
    return figure


def _draw_heat(
    axes: Any, values: NDArray[np.float64], names: Sequence[str], measure: Measure, top: float, rotation: int
) -> None:
    """Colour the classes of each symbol; write shares from 10 percent, and lifts from 1."""
    axes.imshow(values, cmap="Blues", vmin=0, vmax=top, aspect="auto")
    for row, column in zip(*np.nonzero(values >= _WRITTEN[measure]), strict=True):
        value = values[row, column]
        text = f"{100 * value:.0f}" if measure == "share" else f"{value:.1f}"
        colour = "white" if value > 0.6 * top else "black"
        axes.text(column, row, text, ha="center", va="center", fontsize=9, color=colour)
    for column, name in enumerate(names):
        axes.text(column, -0.7, name, ha="center", va="bottom", fontsize=11, rotation=rotation)
    axes.set_xticks(np.arange(1, values.shape[1]) - 0.5, minor=True)
    axes.set_yticks(np.arange(1, len(values)) - 0.5, minor=True)
    axes.grid(which="minor", color="#dddddd", linewidth=0.6)
    axes.tick_params(which="both", length=0, labelbottom=False, labelleft=False)
    for spine in axes.spines.values():
        spine.set_color("#aaaaaa")


def _draw_labels(axes: Any, symbols: NDArray[np.int64], items: NDArray[np.int64]) -> None:
    """The symbol and the number of its items at the left of each row."""
    axes.text(-2.2, -0.7, "symbol", ha="right", va="bottom", fontsize=9, color=_QUIET)
    axes.text(-0.8, -0.7, "items", ha="right", va="bottom", fontsize=9, color=_QUIET)
    for row, (symbol, number) in enumerate(zip(symbols, items, strict=True)):
        axes.text(-2.2, row, str(symbol), ha="right", va="center", fontsize=11, weight="bold")
        axes.text(-0.8, row, str(number), ha="right", va="center", fontsize=9, color=_QUIET)


def _draw_examples(
    axes: Any, log_probs: NDArray[Any], symbols: NDArray[np.int64], images: NDArray[Any], examples: int
) -> None:
    """For each symbol, of the images given it those whose probability of it is highest, highest first."""
    given = log_probs.argmax(1)
    low, high = images.min(), images.max()
    for row, symbol in enumerate(symbols):
        items = np.flatnonzero(given == symbol)
        surest = items[np.argsort(-log_probs[items, symbol], kind="stable")]
        for column, item in enumerate(surest[:examples]):
            extent = (column + 0.08, column + 0.92, row + 0.92, row + 0.08)
            axes.imshow(images[item], cmap="gray_r", vmin=low, vmax=high, extent=extent)
    axes.set(xlim=(0, examples), ylim=(len(symbols), 0), aspect="auto")
    axes.set_axis_off()
    axes.text(0, -0.2, "surest examples", va="bottom", fontsize=9, color=_QUIET)


def _check(p: NDArray[Any], labels: NDArray[np.int64], classes: int, images: NDArray[Any] | None, measure: str) -> None:
    if p.ndim != 3 or len(p) == 0 or labels.shape != (len(p),):
        raise InputError(f"expected log_probs (N, d, k) and labels (N,); got {p.shape} and {labels.shape}")
    if labels.min() < 0 or labels.max() >= classes:
        raise InputError(f"expected labels from 0 to {classes - 1}; got {labels.min()} to {labels.max()}")
    if images is not None and (images.ndim not in (3, 4) or len(images) != len(p)):
        raise InputError(f"expected {len(p)} images of shape (height, width) or with colours; got {images.shape}")
    if p.shape[1] * p.shape[2] > MOST_CELLS:
        raise InputError(f"expected at most {MOST_CELLS} symbols in all to draw; got {p.shape[2]}x{p.shape[1]}")
    if measure not in ("share", "lift"):
        raise InputError(f'expected measure "share" or "lift"; got {measure!r}')
