"""The table and the plot of the study of small training sets, from its results file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dimco.reports.figure import COLOURS, MARKERS, new_figure, save_figure
from dimco.reports.tables import markdown_table

Results = Mapping[str, Any]

NOT_MEASURED = "Not measured yet."
_METRICS = {"5way1shot": "5-way 1-shot", "5way5shot": "5-way 5-shot"}


def small_train_view(results: Results) -> str:
    """A row for each method and number of shots, a column for each number of images a class."""
    rows = results["rows"]
    if not rows:
        return NOT_MEASURED
    sizes = sorted({row["images_a_class"] for row in rows})
    reasons = {(row["method"], row["images_a_class"]): row["reason"] for row in rows if row["metric"] == "cannot"}
    records = []
    for metric, name in _METRICS.items():
        for method in dict.fromkeys(row["method"] for row in rows):
            record: dict[str, Any] = {"tasks": name, "method": method}
            for size in sizes:
                if (method, size) in reasons:
                    record[str(size)] = "cannot"
            for row in rows:
                if (row["method"], row["metric"]) == (method, metric):
                    spread = "" if row["spread"] is None else f" ± {row['spread']:.2f}"
                    record[str(row["images_a_class"])] = f"{row['value']:.2f}{spread}"
            records.append(record)
    columns = {"tasks": "tasks", "method": "method"} | {
        str(size): f"{size} image{'s' if size > 1 else ''} a class" for size in sizes
    }
    said = "; ".join(f"{method} {reason}" for (method, _), reason in reasons.items())
    measured = [row for row in rows if row["metric"] != "cannot"]
    runs = f"Best {measured[0]['best_of']} of {measured[0]['runs']} runs in each cell." if measured else ""
    return f"{markdown_table(records, columns)}\n\n{runs} With one image: {said}.".strip()


def write_plot(results: Results, stem: Path) -> list[Path]:
    """STEM-sizes.png and STEM-sizes.svg; nothing where nothing was measured."""
    return list(save_figure(sizes_figure(results["rows"]), f"{stem}-sizes")) if results["rows"] else []


def sizes_figure(rows: list[Mapping[str, Any]]) -> Any:
    """Accuracy against images a class, one panel a number of shots."""
    figure = new_figure(10, 4.4)
    figure.text(0.06, 0.93, "Few training images of each class", fontsize=13, weight="bold")
    sizes = sorted({row["images_a_class"] for row in rows})
    for place, (metric, name) in enumerate(_METRICS.items()):
        axes = figure.add_axes((0.07 + 0.49 * place, 0.14, 0.42, 0.66))
        for number, method in enumerate(dict.fromkeys(row["method"] for row in rows)):
            own = sorted(
                (row for row in rows if (row["method"], row["metric"]) == (method, metric)),
                key=lambda row: int(row["images_a_class"]),
            )
            axes.errorbar(
                [row["images_a_class"] for row in own],
                [row["value"] for row in own],
                yerr=[row["spread"] or 0.0 for row in own],
                color=COLOURS[number],
                marker=MARKERS[number],
                capsize=3,
                label=method,
            )
        axes.set_xscale("log", base=2)
        axes.set_xticks(sizes, [str(size) for size in sizes])
        axes.minorticks_off()
        axes.set_title(name, fontsize=11)
        axes.set_xlabel("training images a class", fontsize=10)
        axes.set_ylabel("accuracy, %" if place == 0 else "", fontsize=10)
        axes.grid(axis="y", color="#e4e4e4", linewidth=0.8)
        axes.spines[["top", "right"]].set_visible(False)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="upper right", ncols=len(labels), frameon=False, fontsize=10)
    return figure
