"""From the records of retrieval trainings to the rows of the tables.

Where a code or an embedding was trained with several settings, those that did best on held-out training classes stand
for it; test classes decide nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import mean, stdev
from typing import Any

from dimco.experiments.retrieval.job import RetrievalJob
from dimco.experiments.retrieval.paper import PAPER
from dimco.retrieval.metrics import RANKS

Record = dict[str, Any]
Row = dict[str, Any]

METRICS = (*(f"recall@{rank}" for rank in RANKS), "map@r", "nmi")
TIME = "ms_per_query"
FROZEN = "-frozen"
_OWN = {"floats", "codes"}


def retrieval_rows(records: Sequence[Record]) -> list[Row]:
    """A row for each embedding, code and quantized embedding, and metric."""
    finals: dict[tuple[str, ...], dict[RetrievalJob, list[Record]]] = {}
    for record in records:
        job = RetrievalJob(**record["job"])
        if job.stage == "final":
            for part in dict.fromkeys(found["part"] for found in record["results"]):
                key = (job.dataset, job.method, job.head if job.ours else "", trained_by(job), str(part))
                finals.setdefault(key, {}).setdefault(replace(job, seed=0), []).append(record)
    held_out = _held_out(records)
    rows: list[Row] = []
    for cell, by_settings in finals.items():
        best = max(by_settings.values(), key=lambda group: _chosen_by(group, cell[-1], held_out) or 0.0)
        rows += _rows(best, cell[-1], _chosen_by(best, cell[-1], held_out))
    return rows


def trained_by(job: RetrievalJob) -> str:
    """What a code is trained with: its information, a metric loss beside it, or that loss alone."""
    if not job.ours:
        return ""
    terms = ("information" if job.information else "", "metric" if job.metric or job.decoded else "")
    return "+".join(term for term in terms if term)


def _rows(group: Sequence[Record], part: str, held_out: float | None) -> list[Row]:
    """The rows of one part, trained with the same settings once a seed."""
    job = RetrievalJob(**group[0]["job"])
    kinds: dict[tuple[Any, ...], list[Record]] = {}
    for record in group:
        for found in record["results"]:
            if found["part"] == part:
                kinds.setdefault(tuple(found[name] for name in ("what", "k", "d", "bits")), []).append(found)
    frozen = job.dataset.endswith(FROZEN)
    dataset = job.dataset.removesuffix(FROZEN)
    rows = []
    for (what, k, d, bits), founds in kinds.items():
        code = f"{k}x{d}"
        published = PAPER.get((dataset, code)) if what == "codes" and not frozen else None
        for metric in METRICS:
            values = [found[metric] for found in founds if metric in found]
            if values:
                rows.append(
                    {
                        "dataset": dataset,
                        "backbone": "resnet50 frozen" if frozen else "resnet50",
                        "method": _name(job, what),
                        "head": job.head if job.ours else None,
                        "trained": trained_by(job) or None,
                        "part": part,
                        "k": k,
                        "d": d,
                        "bits": bits,
                        "metric": metric,
                        "value": round(mean(values), 3),
                        "spread": round(stdev(values), 3) if len(values) > 1 else None,
                        "held_out": held_out,
                        "epochs": len(group[0]["curve"]),
                        "seeds": [record["job"]["seed"] for record in group],
                        "paper": published if metric == "recall@1" else None,
                    }
                )
    return rows


def _name(job: RetrievalJob, what: str) -> str:
    """Ours and the losses by their names, with what their floats were quantized by."""
    if what == "codes" or (what == "floats" and not job.ours):
        return job.method
    return f"{job.method}+{what}"


def _held_out(records: Sequence[Record]) -> dict[tuple[RetrievalJob, str, int], float]:
    """Recall@1 on held-out classes by settings, part and epoch; of several seeds the mean."""
    found: dict[tuple[RetrievalJob, str, int], list[float]] = {}
    for record in records:
        job = RetrievalJob(**record["job"])
        if job.stage == "select":
            for point in record["curve"]:
                for name, value in point.items():
                    part, separator, what = name.partition(":")
                    if separator and what in _OWN:
                        key = (replace(job, seed=0, stop=0), f"{part}:{what}", int(point["epoch"]))
                        found.setdefault(key, []).append(value)
    return {key: mean(values) for key, values in found.items()}


def _chosen_by(
    group: Sequence[Record], part: str, held_out: dict[tuple[RetrievalJob, str, int], float]
) -> float | None:
    """What the settings of a group reached on held-out classes after as many epochs; None if nobody looked."""
    job = replace(RetrievalJob(**group[0]["job"]), stage="select", seed=0, stop=0)
    what = "codes" if job.ours else "floats"
    value = held_out.get((job, f"{part}:{what}", len(group[0]["curve"])))
    return None if value is None else round(value, 3)
