"""Mean and deviation of the best runs of each method at each number of images a class."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean, stdev
from typing import Any

from dimco.experiments.fewshot.job import FewShotJob
from dimco.experiments.small_train.plan import IMAGES_A_CLASS, METHODS, TOP, cannot

Record = dict[str, Any]


def small_train_rows(records: Sequence[Record]) -> list[dict[str, Any]]:
    """A row for each method, number of images and number of shots; of a method that cannot train, one that says so.

    The best runs are those of the highest accuracy on validation classes; the value is of the test classes.
    """
    found = [record for record in records if record["job"]["experiment"] == "small-train"]
    if not found:
        return []
    common = {"dataset": found[0]["job"]["dataset"], "backbone": found[0]["job"]["backbone"]}
    rows = []
    for method in METHODS:
        for images in IMAGES_A_CLASS:
            runs = [r for r in found if (r["job"]["method"], r["job"]["images_a_class"]) == (method, images)]
            what = {**common, "method": method, "images_a_class": images}
            reason = cannot(method, images)
            if reason is not None:
                rows.append({**what, "metric": "cannot", "value": None, "reason": reason, "seeds": [], "paper": None})
            elif runs:
                rows += [{**what, **_best(runs, shots)} for shots in (1, 5)]
    return rows


def _best(runs: Sequence[Record], shots: int) -> dict[str, Any]:
    best = sorted(runs, key=lambda record: -float(record["validation"]))[:TOP]
    values = [accuracy(record, shots) for record in best]
    jobs = [FewShotJob.from_record(record["job"]) for record in best]
    return {
        "metric": f"5way{shots}shot",
        "value": round(mean(values), 3),
        "spread": round(stdev(values), 3) if len(values) > 1 else None,
        "runs": len(runs),
        "best_of": len(best),
        "lr": [job.lr for job in jobs],
        "sizes": [job.code or str(job.width) for job in jobs],
        "seeds": [job.seed for job in jobs],
        "paper": None,
    }


def accuracy(record: Record, shots: int) -> float:
    """Of codes by the paper's rule, so that every method compares a query with single examples or their mean."""
    founds = [found for found in record["accuracies"] if found["shots"] == shots]
    return float(next(found["value"] for found in founds if found.get("rule", "nearest") == "nearest"))
