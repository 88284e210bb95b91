"""Tables and the plot of the bound experiment, from its results file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dimco.reports.figure import COLOURS, MARKERS, new_figure, save_figure
from dimco.reports.tables import markdown_table

Results = Mapping[str, Any]
Row = Mapping[str, Any]

_KINDS = {"codeword": "whole codeword", "positions": "sum over positions"}
_STANDARD = (20, 200)


def codes_view(results: Results) -> str:
    """The codes, at one number of tasks and samples."""
    rows = [row for row in results["rows"] if (row["n"], row["m"]) == _STANDARD]
    return _table(rows, {"code": "code"})


def sizes_view(results: Results) -> str:
    """The numbers of tasks and samples, for the codes that were measured with several."""
    varied = {(row["k"], row["d"]) for row in results["rows"] if (row["n"], row["m"]) != _STANDARD}
    rows = [row for row in results["rows"] if (row["k"], row["d"]) in varied and row["information"] == "codeword"]
    rows.sort(key=lambda row: (row["bits"], row["k"], row["m"] != _STANDARD[1], row["n"], row["m"]))
    return _table(rows, {"code": "code", "n": "tasks n", "m": "samples m"})


def write_plot(results: Results, stem: Path) -> tuple[Path, Path]:
    """STEM-gap.png and STEM-gap.svg."""
    return save_figure(gap_figure(results["rows"], results["dataset"]), f"{stem}-gap")


def gap_figure(rows: Sequence[Row], dataset: str) -> Any:
    """The measured gap of the whole codeword and its bound, over codes, tasks and samples, on one scale."""
    figure = new_figure(11, 4.6)
    figure.text(
        0.05, 0.94, f"{dataset}: estimated minus expected information, and the bound on it", fontsize=13, weight="bold"
    )
    figure.text(0.05, 0.885, "Whole codeword, tasks of 10 classes; filled: measured, hollow: bound.", fontsize=10)
    whole = [row for row in rows if row["information"] == "codeword"]
    standard = sorted(
        (row for row in whole if (row["n"], row["m"]) == _STANDARD), key=lambda row: (row["bits"], row["k"])
    )
    varied = {(row["k"], row["d"]) for row in whole if (row["n"], row["m"]) != _STANDARD}
    panels = (
        ("codes of 20 tasks of 200 samples", {"": [(f"{row['k']}x{row['d']}", row) for row in standard]}),
        ("tasks n, of 200 samples", _lines(whole, varied, "n", "m", _STANDARD[1])),
        ("samples m, of 20 tasks", _lines(whole, varied, "m", "n", _STANDARD[0])),
    )
    top = max(row["bound"] for row in whole)
    low = min(max(abs(row["value"]), 1e-3) for row in whole)
    for place, (label, lines) in enumerate(panels):
        axes = figure.add_axes((0.07 + 0.315 * place, 0.15, 0.27, 0.62))
        for number, (name, points) in enumerate(lines.items()):
            _draw(axes, points, COLOURS[number], MARKERS[number], name)
        axes.set(yscale="log", ylim=(low / 2, top * 2.5))
        axes.set_xlabel(label, fontsize=10)
        axes.set_ylabel("bits" if place == 0 else "", fontsize=10)
        axes.grid(axis="y", color="#e4e4e4", linewidth=0.8)
        axes.spines[["top", "right"]].set_visible(False)
        if len(lines) > 1:
            axes.legend(frameon=False, fontsize=9, loc="upper left", bbox_to_anchor=(0, 1.14), ncols=2)
    return figure


def _draw(axes: Any, points: Sequence[tuple[str, Row]], colour: str, marker: str, name: str) -> None:
    names = [point for point, _ in points]
    for field, face in (("value", colour), ("bound", "white")):
        heights = [abs(row[field]) for _, row in points]
        label = name if field == "value" else None
        axes.plot(names, heights, color=colour, marker=marker, markerfacecolor=face, markersize=7, label=label)


def _lines(
    rows: Sequence[Row], codes: set[tuple[int, int]], moving: str, fixed: str, at: int
) -> dict[str, list[tuple[str, Row]]]:
    """For each code its rows over one number, the other as it is."""
    lines = {}
    for k, d in sorted(codes):
        found = sorted(
            (row for row in rows if (row["k"], row["d"], row[fixed]) == (k, d, at)), key=lambda row: row[moving]
        )
        lines[f"{k}x{d}"] = [(f"{row[moving]:,}", row) for row in found]
    return lines


def _table(rows: Sequence[Row], first: Mapping[str, str]) -> str:
    records = [
        {
            **row,
            "code": f"{row['k']}x{row['d']}",
            "of": _KINDS[row["information"]],
            "gap": f"{row['value']:.2f}" + ("" if row["spread"] is None else f" ± {row['spread']:.2f}"),
            **row["terms"],
            "times": row["bound"] / abs(row["value"]),
        }
        for row in rows
    ]
    columns = {
        **first,
        "of": "information in the",
        "estimated": "estimated",
        "expected": "expected",
        "gap": "gap",
        "bound": "bound",
        "tasks": "tasks",
        "samples": "samples",
        "bias": "bias",
        "trivial": "most there can be",
        "times": "bound / gap",
    }
    if len({row["information"] for row in rows}) == 1:
        del columns["of"]
    return markdown_table(records, columns, {"bound": ",.1f", "samples": ",.1f", "bias": ",.2f", "times": ",.0f"})
