"""The table and the pairwise plot of the correlation study, from its results file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dimco.experiments.correlation.measures import MEASURES
from dimco.experiments.correlation.rows import method_points
from dimco.reports.figure import COLOURS, MARKERS, new_figure, save_figure
from dimco.reports.tables import markdown_table

Results = Mapping[str, Any]

NOT_MEASURED = "Not measured yet."
_NAMES = {"recall@1": "Recall@1", "information_bits": "I(X; Y), bits"}


def correlation_view(results: Results) -> str:
    """A row for each pair of measures, a column for each method."""
    records: dict[str, dict[str, Any]] = {}
    for row in results["rows"]:
        pair = row["metric"].removeprefix("pearson(").removesuffix(")")
        records.setdefault(pair, {"pair": pair.replace(", ", " and ")})[row["method"]] = row["value"]
    methods = list(dict.fromkeys(row["method"] for row in results["rows"]))
    table = markdown_table(list(records.values()), {"pair": "Pearson coefficient of", **{m: m for m in methods}})
    if not records:
        return NOT_MEASURED
    row = results["rows"][0]
    counts = ", ".join(
        f"{method} {next(r['points'] for r in results['rows'] if r['method'] == method)}" for method in methods
    )
    return f"{table}\n\n{row['dataset']}, {row['backbone']}, {row['k']}x{row['d']}; points: {counts}."


def last_view(results: Results) -> str:
    """The measures after the last epoch, mean over runs."""
    records = []
    for method, points in method_points(results["jobs"]).items():
        last = max(point["epoch"] for point in points)
        ended = [point for point in points if point["epoch"] == last]
        means = {name: sum(p[name] for p in ended) / len(ended) for name in MEASURES if name in ended[0]}
        records.append({"method": method, "runs": len(ended), "epochs": last, **means})
    columns = {name: _NAMES.get(name, name) for name in ("method", "runs", "epochs", *MEASURES)}
    return markdown_table(records, columns) if records else NOT_MEASURED


def write_plot(results: Results, stem: Path) -> list[Path]:
    """STEM-pairs.png and STEM-pairs.svg; nothing where nothing was measured."""
    points = method_points(results["jobs"])
    return list(save_figure(pairs_figure(points), f"{stem}-pairs")) if points else []


def pairs_figure(points: Mapping[str, list[dict[str, Any]]]) -> Any:
    """Every measure against every other; a colour and a marker a method, a dot an epoch of a run."""
    names = [name for name in MEASURES if all(name in p for of_method in points.values() for p in of_method)]
    side = len(names) - 1
    figure = new_figure(1.0 + 2.1 * side, 1.3 + 2.1 * side)
    figure.text(0.02, 0.975, "Measures of codes and embeddings during training", fontsize=13, weight="bold", va="top")
    for line in range(side):
        for column in range(line + 1):
            axes = figure.add_subplot(side, side, line * side + column + 1)
            x, y = names[column], names[line + 1]
            for place, (method, of_method) in enumerate(points.items()):
                axes.scatter(
                    [p[x] for p in of_method],
                    [p[y] for p in of_method],
                    s=9,
                    alpha=0.6,
                    linewidths=0,
                    color=COLOURS[place],
                    marker=MARKERS[place],
                    label=method,
                )
            axes.spines[["top", "right"]].set_visible(False)
            axes.tick_params(labelsize=8)
            axes.set_xlabel(_NAMES.get(x, x) if line == side - 1 else "", fontsize=9)
            axes.set_ylabel(_NAMES.get(y, y) if column == 0 else "", fontsize=9)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="upper right", frameon=False, fontsize=10, markerscale=2)
    figure.subplots_adjust(left=0.09, right=0.98, bottom=0.07, top=0.93, wspace=0.3, hspace=0.3)
    return figure
