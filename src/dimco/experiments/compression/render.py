"""Tables and plots of the compression experiment, from its results file."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dimco.reports.accuracy_plot import accuracy_figure
from dimco.reports.figure import new_figure, save_figure
from dimco.reports.tables import markdown_table

Results = Mapping[str, Any]
Row = Mapping[str, Any]

_OURS = ("dimco-infomax", "dimco-positions", "dimco-mlp", "dimco-decoder")
_HEADLINE = ("16x2", "16x4", "16x8", "16x16")
_OTHERS = ("opq", "rq", "lsq", "lda-pq", "itq", "sign")
_REFERENCES = {
    "float-knn": "the vote over the float embeddings",
    "int8": "over one byte a feature (int8)",
    "network": "the network's own prediction",
}
_PANELS_A_LINE = 4


def grid_view(results: Results) -> str:
    """A row a code, a column a method: mean and deviation of top-1, and how many times smaller than floats."""
    rows = _top1(results)
    return _grid(rows, [name for name in _grid_methods(rows) if name not in _OTHERS])


def others_view(results: Results) -> str:
    """The quantizers that people use beside PQ and SQ, with dimco-infomax for comparison."""
    rows = _top1(results)
    return _grid(rows, [name for name in ("dimco-infomax", *_OTHERS) if name in _grid_methods(rows)])


def _grid(rows: Sequence[Row], methods: Sequence[str]) -> str:
    floats = next((row["bits"] for row in rows if row["method"] == "float-knn"), None)
    records = []
    for k, d in _codes(rows, methods):
        record: dict[str, Any] = {"code": f"{k}x{d}"}
        for method in methods:
            row = _find(rows, method, k, d)
            if row is not None:
                record |= {"bits": row["bits"], method: _with_spread(row)}
        if floats is not None:
            record["ratio"] = round(floats / record["bits"])
        records.append(record)
    ratio = {} if floats is None else {"ratio": "times smaller"}
    columns = {"code": "code", "bits": "bits", **ratio, **{method: method for method in methods}}
    table = markdown_table(records, columns)
    return f"{table}\n\n{_references(rows)}".rstrip()


def paper_view(results: Results) -> str:
    """The cells for which the paper's figure is at hand: the paper, ours, and the difference."""
    records = [
        {
            "method": row["method"],
            "code": f"{row['k']}x{row['d']}",
            "paper": row["paper"],
            "ours": row["value"],
            "difference": row["value"] - row["paper"],
        }
        for row in _top1(results)
        if row["paper"] is not None
    ]
    return markdown_table(records, ["method", "code", "paper", "ours", "difference"], {"difference": "+.2f"})


def weighted_view(results: Results) -> str:
    """Plain votes beside votes weighted by similarity, for our methods."""
    records = []
    weighted = {_key(row): row for row in results["rows"] if row["metric"] == "top1_weighted"}
    for row in _top1(results):
        if row["method"] in _OURS and _key(row) in weighted:
            other = weighted[_key(row)]["value"]
            record = {"method": row["method"], "code": f"{row['k']}x{row['d']}", "plain": row["value"]}
            records.append(record | {"weighted": other, "difference": other - row["value"]})
    return markdown_table(records, ["method", "code", "plain", "weighted", "difference"], {"difference": "+.2f"})


def headline_view(results: Results) -> str:
    """Four codes for the README."""
    rows = _top1(results)
    records = []
    for code in _HEADLINE:
        k, d = map(int, code.split("x"))
        record: dict[str, Any] = {"code": code}
        for method in ("sq", "pq", "dimco-infomax", "dimco-decoder"):
            row = _find(rows, method, k, d)
            if row is not None:
                record |= {"bits": row["bits"], method: row["value"]}
        if "bits" in record:
            records.append(record)
    table = markdown_table(records, ["code", "bits", "sq", "pq", "dimco-infomax", "dimco-decoder"])
    return f"{table}\n\n{_references(rows)}".rstrip()


def write_plots(results: Results, stem: Path) -> list[Path]:
    """Accuracy against bits, and a heat map over k and d for each method; nothing where no code was measured."""
    rows = _top1(results)
    if not _grid_methods(rows):
        return []
    title = f"{results['dataset']}: top-1 by the vote of 200 codes"
    written: list[Path] = []
    for name, left_out in (("bits", _OTHERS), ("quantizers", ("dimco-mlp", "dimco-positions", "sq"))):
        curves = [row for row in rows if row["method"] not in ("network", "int8", *left_out)]
        if name == "bits" or any(row["method"] in _OTHERS for row in rows):
            written += save_figure(accuracy_figure(curves, title=title), f"{stem}-{name}")
    written += save_figure(heat_figure(rows, results["dataset"]), f"{stem}-heat")
    return written


def heat_figure(rows: Sequence[Row], dataset: str) -> Any:
    """Top-1 of every method over k and d, one panel a method, one scale."""
    methods = _grid_methods(rows)
    ks, ds = (sorted({row[name] for row in rows if row["method"] in methods}) for name in ("k", "d"))
    lines, across = math.ceil(len(methods) / _PANELS_A_LINE), min(len(methods), _PANELS_A_LINE)
    height = 0.4 + 3.0 * lines
    figure = new_figure(2.2 + 2.6 * across, height)
    figure.suptitle(f"{dataset}: top-1, %", x=0.02, y=1 - 0.15 / height, ha="left", va="top")
    top = max(row["value"] for row in rows if row["method"] in methods)
    for place, method in enumerate(methods, 1):
        axes = figure.add_subplot(lines, across, place)
        cells = [[_value(rows, method, k, d) for d in ds] for k in ks]
        axes.imshow(cells, cmap="cividis", vmin=0, vmax=top, aspect="equal", origin="lower")
        axes.set_title(method, fontsize=11)
        axes.set_xticks(range(len(ds)), ds)
        axes.set_yticks(range(len(ks)), ks)
        axes.set_xlabel("d")
        axes.set_ylabel("k" if place % _PANELS_A_LINE == 1 or across == 1 else "")
        for i, line in enumerate(cells):
            for j, value in enumerate(line):
                colour = "white" if value < top / 2 else "black"
                text = "" if math.isnan(value) else f"{value:.1f}"
                axes.text(j, i, text, ha="center", va="center", fontsize=8, color=colour)
    figure.subplots_adjust(left=0.06, right=0.99, bottom=0.5 / height, top=1 - 0.75 / height, wspace=0.15, hspace=0.35)
    return figure


def _top1(results: Results) -> list[Row]:
    return [row for row in results["rows"] if row["metric"] == "top1"]


def _key(row: Row) -> tuple[Any, ...]:
    return row["method"], row["k"], row["d"]


def _grid_methods(rows: Sequence[Row]) -> list[str]:
    """The methods that were measured over codes: ours first, then the others as they come."""
    found = [name for name in dict.fromkeys(row["method"] for row in rows) if name not in _REFERENCES]
    return [name for name in _OURS if name in found] + [name for name in found if name not in _OURS]


def _codes(rows: Sequence[Row], methods: Sequence[str]) -> list[tuple[int, int]]:
    return sorted({(row["k"], row["d"]) for row in rows if row["method"] in methods})


def _find(rows: Sequence[Row], method: str, k: int, d: int) -> Row | None:
    return next((row for row in rows if _key(row) == (method, k, d)), None)


def _value(rows: Sequence[Row], method: str, k: int, d: int) -> float:
    row = _find(rows, method, k, d)
    return float("nan") if row is None else float(row["value"])


def _with_spread(row: Row) -> str:
    spread = "" if row["spread"] is None else f" ± {row['spread']:.2f}"
    return f"{row['value']:.2f}{spread}"


def _references(rows: Sequence[Row]) -> str:
    found = [row for name in _REFERENCES for row in rows if row["method"] == name]
    said = [f"{_REFERENCES[row['method']]} {row['value']:.2f} ({row['bits']:,} bits)" for row in found]
    return f"For comparison: {', '.join(said)}." if said else ""
