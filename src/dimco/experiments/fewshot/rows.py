"""From the records of few-shot jobs to the rows of the tables.

Where a cell was run with several settings, the one with the best accuracy on validation classes stands for it, and of
a method that is trained on tasks, which may want other tasks for one shot than for five, the best for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean, stdev
from typing import Any

from dimco.experiments.fewshot.job import FewShotJob
from dimco.experiments.fewshot.measure import PAPER_RULE, mean_validation
from dimco.experiments.fewshot.paper import PAPER, QUOTED
from dimco.spec import CodeSpec

Record = dict[str, Any]
Row = dict[str, Any]

_METRICS = {1: "5way1shot", 5: "5way5shot"}


def fewshot_rows(records: Sequence[Record]) -> list[Row]:
    """A row for each cell, rule and number of shots, and one for each measured speed."""
    cells: dict[tuple[str, ...], list[Record]] = {}
    for record in records:
        if record["job"]["experiment"] == "fewshot":
            cells.setdefault(FewShotJob.from_record(record["job"]).cell, []).append(record)
    rows = [row for cell in cells.values() for shots in _METRICS for row in _rows(cell, shots)]
    return rows + [_speed(record) for record in records if record["job"]["experiment"] == "throughput"]


def _rows(cell: Sequence[Record], shots: int) -> list[Row]:
    """The rows of a cell at one number of shots: one a rule, or one."""
    chosen = _best_settings(cell, shots)
    job = FewShotJob.from_record(chosen[0]["job"])
    by_rule: dict[str, list[Record]] = {}
    for record in chosen:
        for found in record["accuracies"]:
            if found["shots"] == shots:
                by_rule.setdefault(found.get("rule", ""), []).append(found)
    return [
        {
            "dataset": job.dataset,
            "backbone": job.backbone,
            "method": job.method,
            "k": job.k or None,
            "d": job.d or None,
            "bits": CodeSpec(job.k, job.d).bits if job.k else chosen[0]["bits"],
            "rule": rule or None,
            "aggregated": all(found["aggregated"] for found in founds) if rule else None,
            "metric": _METRICS[shots],
            "value": round(mean(found["value"] for found in founds), 3),
            "interval": round(mean(found["interval"] for found in founds), 3),
            "spread": round(stdev(found["value"] for found in founds), 3) if len(founds) > 1 else None,
            "validation": round(mean(found["validation"] for found in founds), 3),
            "episodes": founds[0]["episodes"],
            "steps": chosen[0]["steps"],
            "seeds": [record["job"]["seed"] for record in chosen],
            "paper": _beside(job, shots, rule),
        }
        for rule, founds in by_rule.items()
    ]


def _best_settings(cell: Sequence[Record], shots: int) -> list[Record]:
    """The records, one a seed, of the settings that do best on validation classes."""
    groups: dict[FewShotJob, list[Record]] = {}
    for record in cell:
        groups.setdefault(FewShotJob.from_record({**record["job"], "seed": 0}), []).append(record)

    def value(group: Sequence[Record]) -> float:
        codes = FewShotJob.from_record(group[0]["job"]).learns_codes
        return mean(
            mean_validation(found for found in record["accuracies"] if codes or found["shots"] == shots)
            for record in group
        )

    return max(groups.values(), key=value)


def _beside(job: FewShotJob, shots: int, rule: str) -> float | None:
    """The published figure: of codes the paper's, for the paper's rule; of others what their papers say."""
    place = 0 if shots == 1 else 1
    if job.learns_codes:
        figures = PAPER.get((job.dataset, job.backbone, job.code))
        return figures[place] if figures and rule == PAPER_RULE else None
    for quoted in QUOTED:
        if (quoted.dataset, quoted.backbone, quoted.method) == (job.dataset, job.backbone, job.method):
            return (quoted.one_shot, quoted.five_shot)[place]
    return None


def _speed(record: Record) -> Row:
    job = FewShotJob.from_record(record["job"])
    return {
        "dataset": job.dataset,
        "backbone": job.backbone,
        "method": job.method,
        "k": job.k or None,
        "d": job.d or None,
        "metric": "images_per_second",
        "value": record["images_per_second"],
        "gpu_busy_percent": record["gpu_busy_percent"],
        "batch_size": job.batch_size,
        "accelerator": record.get("accelerator"),
        "seeds": [job.seed],
        "paper": None,
    }
