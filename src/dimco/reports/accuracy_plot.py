"""Accuracy against bits an item: one line a method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from dimco.errors import InputError
from dimco.reports.figure import COLOURS, MARKERS, new_figure

_LABEL_GAP = 0.06
_HIGHEST_LABEL = 1.1
_REFERENCE = "#555555"


class _End(NamedTuple):
    """Where a line ends."""

    bits: int
    value: float
    method: str
    colour: str


def accuracy_figure(
    rows: Sequence[Mapping[str, Any]],
    metric: str = "top1",
    reference: str = "float-knn",
    title: str = "",
    label: str = "top-1 accuracy, %",
) -> Any:
    """A matplotlib figure with one labelled line for each method.

    Parameters
    ----------
    rows : sequence of records
        With the fields `method`, `metric`, `bits` and `value`; of several at the same bits the best counts.
    metric : str, default="top1"
    reference : str, default="float-knn"
        The method drawn as a dashed level line, without bits of its own.
    title, label : str
        Title, and what the vertical axis shows.
    """
    curves = _curves(rows, metric)
    levels = curves.pop(reference, {})
    if not curves:
        raise InputError(f"expected rows with the metric {metric!r} and bits; got none")
    figure = new_figure(8, 5)
    axes = figure.add_axes((0.09, 0.13, 0.64, 0.74))
    ends = []
    for place, (method, curve) in enumerate(curves.items()):
        bits, colour = sorted(curve), COLOURS[place % len(COLOURS)]
        values = [curve[b] for b in bits]
        marker = MARKERS[(place + place // len(COLOURS)) % len(MARKERS)]
        axes.plot(bits, values, color=colour, marker=marker, markersize=7, linewidth=2, clip_on=False, zorder=3)
        ends.append(_End(bits[-1], values[-1], method, colour))
    every = sorted({b for curve in curves.values() for b in curve})
    if levels:
        level = max(levels.values())
        axes.axhline(level, color=_REFERENCE, linestyle="--", linewidth=1.5)
        ends.append(_End(every[-1], level, reference, _REFERENCE))
    _dress(axes, every, label, title)
    _label_ends(axes, ends, every[-1])
    return figure


def _curves(rows: Sequence[Mapping[str, Any]], metric: str) -> dict[str, dict[int, float]]:
    """Best value of each method at each number of bits, in the order methods come."""
    curves: dict[str, dict[int, float]] = {}
    for row in rows:
        if row["metric"] == metric and row["bits"] is not None and row["value"] is not None:
            curve = curves.setdefault(row["method"], {})
            curve[row["bits"]] = max(row["value"], curve.get(row["bits"], row["value"]))
    return curves


def _dress(axes: Any, bits: list[int], label: str, title: str) -> None:
    axes.set_xscale("log", base=2)
    axes.set_xticks(bits, [str(b) for b in bits], fontsize=11)
    axes.set_xlim(bits[0] / 1.2, bits[-1])
    axes.minorticks_off()
    axes.tick_params(axis="y", labelsize=11)
    axes.set_xlabel("bits an item (log scale)", fontsize=12)
    axes.set_ylabel(label, fontsize=12)
    axes.set_title(title, fontsize=13, loc="left", pad=16)
    axes.grid(axis="y", color="#dddddd", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _label_ends(axes: Any, ends: list[_End], most_bits: int) -> None:
    """Write each line's name and last value at the right, moved apart where lines end close.

    A leader joins the two, dotted where it has to cross the picture.
    """
    low, high = axes.get_ylim()
    axes.set_ylim(low, high)
    heights = [(end.value - low) / (high - low) for end in ends]
    places = _apart(heights, _LABEL_GAP)
    down = max(0.0, max(places) - _HIGHEST_LABEL)
    for end, place in zip(ends, places, strict=True):
        axes.annotate(
            f"{end.method} {end.value:.1f}",
            xy=(end.bits, end.value),
            xytext=(1.07, place - down),
            textcoords="axes fraction",
            color="#222222",
            fontsize=11,
            va="center",
            arrowprops={
                "arrowstyle": "-",
                "color": end.colour,
                "linewidth": 1.5,
                "linestyle": "-" if end.bits == most_bits else ":",
                "relpos": (0, 0.5),
                "shrinkA": 2,
                "shrinkB": 5,
            },
        )


def _apart(heights: list[float], gap: float) -> list[float]:
    """The heights, moved as little as possible so that neighbours are `gap` apart: crowds spread about their mean."""
    crowds: list[list[int]] = []
    for place in sorted(range(len(heights)), key=lambda i: heights[i]):
        crowd = [place]
        while crowds and _spread(crowds[-1], heights, gap)[-1] + gap > _spread(crowd, heights, gap)[0]:
            crowd = crowds.pop() + crowd
        crowds.append(crowd)
    moved = {i: height for crowd in crowds for i, height in zip(crowd, _spread(crowd, heights, gap), strict=True)}
    return [moved[i] for i in range(len(heights))]


def _spread(crowd: list[int], heights: list[float], gap: float) -> list[float]:
    """Heights `gap` apart about the crowd's mean, rising."""
    middle = sum(heights[i] for i in crowd) / len(crowd)
    return [middle + gap * (rank - (len(crowd) - 1) / 2) for rank in range(len(crowd))]
