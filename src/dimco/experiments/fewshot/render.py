"""Tables of few-shot classification, from the results file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dimco.experiments.fewshot.job import CODE_METHODS, METHODS
from dimco.experiments.fewshot.measure import PAPER_RULE
from dimco.experiments.fewshot.paper import GOALS, QUOTED, Goal
from dimco.reports.docs import View
from dimco.reports.tables import markdown_table

Results = Mapping[str, Any]
Row = Mapping[str, Any]

NOT_MEASURED = "Not measured yet."
_ONE, _FIVE = "5way1shot", "5way5shot"
_SIGNED = {"1-shot difference": "+.2f", "5-shot difference": "+.2f"}


def cells_view(dataset: str, backbone: str) -> View:
    """The view of one data set and backbone: ours beside published figures, and rows that are quoted alone."""

    def view(results: Results) -> str:
        rows = [row for row in _accuracies(results) if (row["dataset"], row["backbone"]) == (dataset, backbone)]
        if not rows:
            return NOT_MEASURED
        records = [record for method in METHODS for record in _of_method(rows, method)]
        ours = {row["method"] for row in rows}
        for quoted in QUOTED:
            if (quoted.dataset, quoted.backbone) == (dataset, backbone):
                beside = f"beside ours above; {quoted.source}" if quoted.method in ours else quoted.source
                figures = {"1-shot paper": quoted.one_shot, "5-shot paper": quoted.five_shot}
                records.append({"method": f"{quoted.method} (quoted)", **figures, "source": beside})
        columns = {
            "method": "method",
            "code": "code",
            "bits": "bits",
            "rule": "rule",
            "1-shot": "1-shot, ours",
            "1-shot paper": "published",
            "1-shot difference": "difference",
            "5-shot": "5-shot, ours",
            "5-shot paper": "published",
            "5-shot difference": "difference",
            "source": "source",
        }
        return markdown_table(records, columns, _SIGNED)

    return view


def rules_view(results: Results) -> str:
    """Every rule for the support of a class, on every code."""
    rows = [row for row in _accuracies(results) if row["rule"]]
    records: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows:
        key = (row["dataset"], row["backbone"], row["method"], _code(row), row["metric"])
        names = ("dataset", "backbone", "method", "code", "metric")
        record = records.setdefault(key, dict(zip(names, key, strict=True)))
        record[row["rule"]] = row["value"]
        if row["aggregated"]:
            record["chosen"] = row["rule"]
    found = sorted({row["rule"] for row in rows}, key=lambda name: (name != PAPER_RULE, name))
    columns = ["dataset", "backbone", "method", "code", "metric", *found, "chosen"]
    return markdown_table(list(records.values()), columns) if records else NOT_MEASURED


def goals_view(results: Results) -> str:
    """The numbers to reach, what was reached, and by how much they differ."""
    rows = _accuracies(results)
    if not rows:
        return NOT_MEASURED
    records = []
    for goal in GOALS:
        reached = {
            metric: _best(rows, goal, metric, wanted)
            for metric, wanted in ((_ONE, goal.one_shot), (_FIVE, goal.five_shot))
        }
        record: dict[str, Any] = {"what": f"{goal.dataset}, {goal.backbone}, {goal.name} {goal.code}".strip()}
        record["whose"] = goal.whose
        for name, metric, wanted in (("1-shot", _ONE, goal.one_shot), ("5-shot", _FIVE, goal.five_shot)):
            row = reached[metric]
            record[f"{name} goal"] = wanted
            if row is not None and wanted is not None:
                record[name] = row["value"]
                record[f"{name} difference"] = row["value"] - wanted
                record[f"{name} by"] = f"{row['method']}, {row['rule']}" if row["rule"] else row["method"]
        records.append(record)
    columns = {"what": "what", "whose": "whose goal"}
    for name in ("1-shot", "5-shot"):
        columns |= {
            f"{name} goal": f"{name} goal",
            name: "ours",
            f"{name} difference": "difference",
            f"{name} by": "by",
        }
    return markdown_table(records, columns, _SIGNED)


def speed_view(results: Results) -> str:
    """How fast training is, and how busy it keeps the GPU."""
    rows = [row for row in results["rows"] if row["metric"] == "images_per_second"]
    columns = {
        "dataset": "data set",
        "backbone": "backbone",
        "method": "method",
        "batch_size": "batch",
        "value": "images a second",
        "gpu_busy_percent": "GPU busy, %",
        "accelerator": "GPU",
    }
    return markdown_table(rows, columns) if rows else NOT_MEASURED


def steps_view(results: Results) -> str:
    """How fast each kind of steps is, and how busy it keeps the GPU."""
    of_method: dict[str, dict[str, Any]] = {}
    for row in results["rows"]:
        of_method.setdefault(row["method"], {"steps": row["method"]})[row["metric"]] = row["value"]
    columns = {
        "steps": "steps",
        "images_per_second": "images a second",
        "ms_per_step": "ms a step",
        "gpu_busy": "GPU busy, %",
        "seconds_of_first_epoch": "first epoch, s",
    }
    return markdown_table(list(of_method.values()), columns, {"images_per_second": ",.0f", "gpu_busy": ".1f"})


def pilot_view(results: Results) -> str:
    """Settings compared on validation classes, the best of each method first."""
    records = []
    for record in results["jobs"]:
        if record["job"]["experiment"] == "pilot":
            job = record["job"]
            names = ("sharpness", "independence", "temperature", "decoder", "label_smoothing", "optimizer", "lr")
            fields = {name: job[name] for name in ("method", "backbone", *names)}
            fields |= {"batch": f"{job['classes']} x {job['items']}", "steps": record["steps"]}
            records.append(fields | {"validation": record["validation"]})
    records.sort(key=lambda record: (record["backbone"], record["method"], -record["validation"]))
    columns = {name: name.replace("_", " ") for name in records[0]} if records else {}
    return markdown_table(records, columns, {"lr": "g"}) if records else NOT_MEASURED


def _accuracies(results: Results) -> list[Row]:
    return [row for row in results["rows"] if row["metric"] in (_ONE, _FIVE)]


def _of_method(rows: Sequence[Row], method: str) -> list[dict[str, Any]]:
    """Of codes a line for the paper's rule and one for the aggregated; of others one line."""
    records = []
    own = [row for row in rows if row["method"] == method]
    for code in sorted({(row["bits"], _code(row)) for row in own}):
        of_code = [row for row in own if _code(row) == code[1]]
        kinds = (PAPER_RULE, "aggregated") if method in CODE_METHODS else (None,)
        for kind in kinds:
            one, five = (_find(of_code, metric, kind) for metric in (_ONE, _FIVE))
            record: dict[str, Any] = {"method": method, "code": code[1], "bits": code[0]}
            if kind is not None:
                record["rule"] = kind if kind == PAPER_RULE else _chosen(one, five)
            for name, row in (("1-shot", one), ("5-shot", five)):
                if row is not None:
                    record[name] = f"{row['value']:.2f} ± {row['interval']:.2f}"
                    if row["paper"] is not None:
                        record |= {f"{name} paper": row["paper"], f"{name} difference": row["value"] - row["paper"]}
            records.append(record)
    return records


def _chosen(one: Row | None, five: Row | None) -> str:
    """The names of the aggregated rules, which may differ by shots."""
    names = list(dict.fromkeys(row["rule"] for row in (one, five) if row is not None))
    return "aggregated: " + ", ".join(names)


def _find(rows: Sequence[Row], metric: str, kind: str | None) -> Row | None:
    """The row of a metric for the paper's rule, the aggregated one, or of a method without rules."""
    for row in rows:
        fits = row["aggregated"] if kind == "aggregated" else row["rule"] == kind
        if row["metric"] == metric and fits:
            return row
    return None


def _best(rows: Sequence[Row], goal: Goal, metric: str, wanted: float | None) -> Row | None:
    """The row of the method and rule that did best on validation classes."""
    found = [
        row
        for row in rows
        if (row["dataset"], row["backbone"], row["metric"]) == (goal.dataset, goal.backbone, metric)
        and row["method"] in goal.methods
        and _code(row) == goal.code
        and (
            not goal.rules
            or ("nearest" in goal.rules and row["rule"] == PAPER_RULE)
            or ("aggregated" in goal.rules and row["aggregated"])
        )
    ]
    return max(found, key=lambda row: float(row["validation"])) if found and wanted is not None else None


def _code(row: Row) -> str:
    return f"{row['k']}x{row['d']}" if row["k"] else ""
