"""Pictures of the search benchmark: time against the number of items, and times our time at a million."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dimco.experiments.search_bench.cell import FLOOR
from dimco.experiments.search_bench.figures import Code, Figures
from dimco.experiments.search_bench.peers import OURS
from dimco.experiments.search_bench.plan import BATCH, SINGLE
from dimco.reports.figure import COLOURS, MARKERS, new_figure, save_figure

_DRAWN = (OURS, "faiss-fastscan", "faiss-pq", "faiss-flat-l2", "faiss-hnsw", "usearch-exact", "numpy")
_NOT_EXACT = ("faiss-fastscan", "faiss-hnsw")
_OURS_COLOUR, _THEIRS_COLOUR = COLOURS[0], "#9a9a9a"


def write_plots(results: Mapping[str, Any], stem: Path) -> list[Path]:
    """STEM-time and, where there are peers, STEM-ratio, as PNG and SVG; nothing where nothing was measured."""
    figures = Figures(results)
    if figures.headline is None:
        return []
    written = [*save_figure(time_figure(figures), f"{stem}-time")]
    if any(method != OURS for method, _ in figures.methods):
        written += save_figure(ratio_figure(figures), f"{stem}-ratio")
    return written


def time_figure(figures: Figures) -> Any:
    """Milliseconds of a single query against the number of items, a panel a code, a line a method."""
    columns = min(3, len(figures.codes))
    lines = -(-len(figures.codes) // columns)
    width, height = 2.3 + 3.2 * columns, 1.1 + 2.7 * lines
    figure = new_figure(width, height)
    figure.suptitle(
        "Milliseconds a single query, one thread (* not exact)", x=0.02, y=1 - 0.12 / height, ha="left", va="top"
    )
    handles: dict[str, Any] = {}
    shared = None
    for place, code in enumerate(figures.codes, 1):
        axes = shared = figure.add_subplot(lines, columns, place, sharex=shared, sharey=shared)
        axes.set_title(f"{code[0]}x{code[1]}", fontsize=11, loc="left")
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xticks(figures.sizes, [_short(size) for size in figures.sizes])
        for number, method in enumerate(_DRAWN):
            ours = method == OURS
            style = {"color": COLOURS[number], "marker": MARKERS[number], "linewidth": 2.4 if ours else 1.3}
            _line(axes, figures, method, code, handles, **style, zorder=4 if ours else 3)
        _line(axes, figures, FLOOR, code, handles, color="#555555", linestyle="--", linewidth=1.3, marker=".", zorder=5)
        axes.grid(color="#e2e2e2", linewidth=0.7)
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
        axes.set_xlabel("items" if place > len(figures.codes) - columns else "")
        axes.set_ylabel("ms" if place % columns == 1 or columns == 1 else "")
    for axes in figure.axes:
        ticks = _decades(*axes.get_ylim())
        axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.minorticks_off()
    figure.subplots_adjust(
        left=0.75 / width,
        right=1 - 1.9 / width,
        bottom=0.55 / height,
        top=1 - 0.7 / height,
        wspace=0.25,
        hspace=0.38,
    )
    shown = [name for name in (*_DRAWN, FLOOR) if name in handles]
    names = ["reading the codes" if name == FLOOR else _starred(name) for name in shown]
    figure.legend([handles[name] for name in shown], names, loc="center right", frameon=False, fontsize=10)
    return figure


def ratio_figure(figures: Figures) -> Any:
    """Times our time, a panel a code, a bar a method; single queries above, batches below."""
    methods = [method for method, threads in figures.methods if threads == 1 and method != OURS]
    columns = len(figures.codes)
    width, height = max(7.5, 2.3 + 2.1 * columns), 1.1 + 2 * (0.5 + 0.24 * (len(methods) + 1))
    figure = new_figure(width, height)
    title = f"Times the time of dimco, N = {figures.headline:,}, one thread (orange is faster; * not exact)"
    figure.suptitle(title, x=0.02, y=1 - 0.12 / height, ha="left", va="top")
    for line, mode in enumerate((SINGLE, BATCH)):
        ratios = {
            code: [figures.times_ours(method, code, figures.headline, mode) for method in methods]
            for code in figures.codes
        }
        present = [ratio for some in ratios.values() for ratio in some if ratio is not None]
        for place, code in enumerate(figures.codes, 1):
            axes = figure.add_subplot(2, columns, line * columns + place)
            _bars(axes, methods, ratios[code])
            limits = min([0.8, *(0.7 * ratio for ratio in present)]), max([10, *(5 * ratio for ratio in present)])
            axes.set_xlim(limits)
            axes.set_xticks(_decades(*limits), [f"{tick:g}" for tick in _decades(*limits)])
            axes.minorticks_off()
            axes.set_title(f"{code[0]}x{code[1]}, {mode}", fontsize=10, loc="left")
            if place > 1:
                axes.tick_params(axis="y", labelleft=False)
    figure.subplots_adjust(
        left=1.75 / width, right=1 - 0.45 / width, bottom=0.35 / height, top=1 - 0.75 / height, wspace=0.3, hspace=0.3
    )
    return figure


def _starred(method: str) -> str:
    return f"{method} *" if method in _NOT_EXACT else method


def _decades(low: float, high: float) -> list[float]:
    """The powers of ten between two numbers."""
    return [10.0**power for power in range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)]


def _short(items: int) -> str:
    """8131 as 8k, a million as 1M."""
    return f"{items / 1e6:.3g}M" if items >= 1_000_000 else f"{items / 1e3:.0f}k" if items >= 1_000 else str(items)


def _line(axes: Any, figures: Figures, method: str, code: Code, handles: dict[str, Any], **style: Any) -> None:
    points = [(items, figures.ms(method, code, items)) for items in figures.sizes]
    points = [point for point in points if point[1] is not None]
    if points:
        drawn = axes.plot(*zip(*points, strict=True), markersize=5, **style)
        handles.setdefault(method, drawn[0])


def _bars(axes: Any, methods: list[str], ratios: list[float | None]) -> None:
    axes.set_xscale("log")
    for place, ratio in enumerate(ratios):
        if ratio is not None:
            colour = _THEIRS_COLOUR if ratio >= 1 else COLOURS[1]
            axes.barh(place, ratio - 1, left=1, color=colour, height=0.7)
            axes.text(max(ratio, 1) * 1.12, place, f"{ratio:.3g}", va="center", fontsize=8)
    axes.set_ylim(len(methods) - 0.5, -0.5)
    axes.set_yticks(range(len(methods)), [_starred(method) for method in methods], fontsize=9)
    axes.tick_params(axis="x", labelsize=8)
    axes.axvline(1, color=_OURS_COLOUR, linewidth=1.5)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
