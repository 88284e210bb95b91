"""Pictures of the scale experiment: latencies of the simulated clusters, and what a coarse first stage reads."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dimco.experiments.scale.render import collection_name, way_name
from dimco.reports.figure import COLOURS, MARKERS, new_figure, save_figure

Results = Mapping[str, Any]
Row = Mapping[str, Any]

_PERCENTILES = ("p50", "p99", "p99.9")
_PLAIN = "#555555"


def write_plots(results: Results, coarse: Path, stem: Path) -> list[Path]:
    """STEM-latency and, where a coarse results file is, STEM-coarse, as PNG and SVG."""
    written = [*save_figure(latency_figure(results["rows"]), f"{stem}-latency")]
    if coarse.exists():
        measured = json.loads(coarse.read_text(encoding="utf-8"))
        written += save_figure(coarse_figure(measured["rows"]), f"{stem}-coarse")
    return written


def latency_figure(rows: Sequence[Row]) -> Any:
    """Percentiles of the simulated latency, a panel a collection, a line a way to run it."""
    cut = [row for row in rows if row["cut"] == "time"]
    panels = list(dict.fromkeys(collection_name(row) for row in cut))
    columns = min(2, len(panels))
    lines = -(-len(panels) // columns)
    width, height = 1.2 + 4.2 * columns, 1.5 + 2.6 * lines
    figure = new_figure(width, height)
    figure.suptitle(
        "Simulated seconds until the exact answer, with shards that a machine scans in at most 0.1 s",
        x=0.02,
        y=1 - 0.12 / height,
        ha="left",
        va="top",
    )
    for place, panel in enumerate(panels, 1):
        axes = figure.add_subplot(lines, columns, place)
        inside = [row for row in cut if collection_name(row) == panel]
        for number, row in enumerate(inside):
            points = [row[name] for name in _PERCENTILES]
            label = f"copies: {way_name(row)}"
            axes.plot(_PERCENTILES, points, color=COLOURS[number], marker=MARKERS[number], label=label)
        axes.axhline(inside[0]["scan_seconds"], color=_PLAIN, linestyle="--", linewidth=1.2, label="one scan")
        axes.set_yscale("log")
        axes.set_ylim(0.05, 1.5 * max(10, *(row["p99.9"] for row in cut)))
        axes.set_yticks([0.1, 1, 10], ["0.1", "1", "10"])
        axes.minorticks_off()
        axes.set_title(f"{panel}: {inside[0]['shards']:,} shards", fontsize=11, loc="left")
        axes.set_ylabel("seconds" if place % columns == 1 or columns == 1 else "")
        axes.grid(axis="y", color="#e2e2e2", linewidth=0.7)
        axes.spines[["top", "right"]].set_visible(False)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="lower center", ncols=len(labels), frameon=False, fontsize=10)
    figure.subplots_adjust(
        left=0.75 / width, right=1 - 0.2 / width, bottom=0.85 / height, top=1 - 0.8 / height, hspace=0.42, wspace=0.18
    )
    return figure


def coarse_figure(rows: Sequence[Row]) -> Any:
    """Recall against the share of the codes read, at the largest size, a panel a collection, a line a kind of cells."""
    items = max(row["items"] for row in rows)
    large = [row for row in rows if row["items"] == items and row["probes"] != "plain"]
    panels = list(dict.fromkeys((row["dataset"], row["k"], row["d"]) for row in large))
    columns = min(2, len(panels))
    lines = -(-len(panels) // columns)
    width, height = 1.2 + 4.2 * columns, 1.7 + 2.7 * lines
    figure = new_figure(width, height)
    figure.suptitle(
        f"Recall against the share of {items:,} codes read; hollow: where the search ends by itself, exact",
        x=0.02,
        y=1 - 0.12 / height,
        ha="left",
        va="top",
        fontsize=11,
    )
    kinds = list(dict.fromkeys(row["cells"] for row in large))
    for place, panel in enumerate(panels, 1):
        axes = figure.add_subplot(lines, columns, place)
        for number, kind in enumerate(kinds):
            inside = [row for row in large if (row["dataset"], row["k"], row["d"]) == panel and row["cells"] == kind]
            if inside:
                _recall_line(axes, inside, COLOURS[number], MARKERS[number], kind)
        axes.set_xscale("log")
        axes.set_xlim(1.5e-4, 1.4)
        ticks = [0.001, 0.01, 0.1, 1]
        axes.set_xticks(ticks, ["0.1 %", "1 %", "10 %", "100 %"])
        axes.minorticks_off()
        axes.set_ylim(-0.03, 1.06)
        axes.set_title(f"{panel[0]}, {panel[1]}x{panel[2]}", fontsize=11, loc="left")
        axes.set_xlabel("share read" if place > len(panels) - columns else "")
        axes.set_ylabel("recall@10" if place % columns == 1 or columns == 1 else "")
        axes.grid(color="#e2e2e2", linewidth=0.7)
        axes.spines[["top", "right"]].set_visible(False)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    names = [f"cells: {label}" for label in labels]
    figure.legend(handles, names, loc="lower center", ncols=len(names), frameon=False, fontsize=10)
    figure.subplots_adjust(
        left=0.75 / width, right=1 - 0.25 / width, bottom=1.0 / height, top=1 - 0.8 / height, hspace=0.38, wspace=0.18
    )
    return figure


def _recall_line(axes: Any, rows: Sequence[Row], colour: str, marker: str, label: str) -> None:
    limited = sorted((row for row in rows if row["probes"] is not None), key=lambda row: row["probes"])
    points = [(row["share"], row["recall@10"]) for row in limited]
    axes.plot(*zip(*points, strict=True), color=colour, marker=marker, markersize=5, label=label)
    for row in rows:
        if row["probes"] is None:
            axes.plot([row["share"]], [1.0], color=colour, marker=marker, markersize=9, markerfacecolor="none")
