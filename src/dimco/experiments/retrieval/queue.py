"""Jobs in a row within a time limit, and the file of what came out."""

from __future__ import annotations

import json
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch

from dimco.atomic import atomic_path, write_text
from dimco.errors import DamagedFileError, InputError
from dimco.experiments.provenance import provenance
from dimco.experiments.retrieval.data import RetrievalSet
from dimco.experiments.retrieval.job import RetrievalJob
from dimco.experiments.retrieval.train import RetrievalRun

EXPERIMENT = "retrieval-training"
_BEST = "stop=best"
_ITEMS_A_SECOND = 2_500.0
_AROUND = 12.0

Say = Callable[[str], None]


@dataclass
class Workplace:
    """What all jobs need.

    Attributes
    ----------
    load : callable
        From the name of a data set to it.
    device : torch.device
    weights : Path or None
    end : float
        On `time.monotonic`'s clock.
    save : Path or None
        Folder of the embeddings.
    """

    load: Callable[[str], RetrievalSet]
    device: torch.device
    weights: Path | None
    end: float
    save: Path | None = None
    side: int = 224
    sets: dict[str, RetrievalSet] = field(default_factory=dict)

    def data(self, name: str) -> RetrievalSet:
        if name not in self.sets:
            self.sets = {name: self.load(name)}
        return self.sets[name]


class ResultsFile:
    """Records of finished jobs: one JSON, whole after each."""

    def __init__(self, path: Path, command: str) -> None:
        self.path, self.command = path, command
        self.records: list[dict[str, Any]] = read_records(path) if path.exists() else []

    def has(self, job: RetrievalJob) -> bool:
        return any(record["job"] == job.as_record() for record in self.records)

    def add(self, record: dict[str, Any]) -> None:
        self.records.append({**record, "command": self.command})
        content = {"experiment": EXPERIMENT, **provenance(self.command, 0), "jobs": self.records}
        write_text(self.path, json.dumps(content, indent=1) + "\n")

    def best_epoch(self, job: RetrievalJob) -> int:
        """The epoch that did best on held-out classes for a job of these settings."""
        wanted = replace(job, stage="select", stop=0).as_record()
        for record in reversed(self.records):
            if record["job"] == wanted:
                return int(record["best_epoch"])
        raise InputError(f"expected a job of stage select with the settings of {job.title}; the file has none")


def read_records(path: Path) -> list[dict[str, Any]]:
    """The records of a file written by `ResultsFile`."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["experiment"] != EXPERIMENT:
            raise ValueError("it is of another experiment")
        return list(content["jobs"])
    except (ValueError, KeyError, TypeError, OSError) as error:
        raise DamagedFileError(f"{path} is not a file of retrieval trainings: {error}") from error


def run_jobs(names: Sequence[str], place: Workplace, file: ResultsFile, say: Say) -> list[str]:
    """Run the jobs in their order, passing over those that the time left does not allow; a line for each failure.

    A job may end with `stop=best`: the epoch that the same job of stage select found best.
    """
    failures = []
    rate = _ITEMS_A_SECOND
    for name in names:
        try:
            job = _resolved(name, file)
            if file.has(job):
                say(f"in the file already: {job.title}")
                continue
            expected = _AROUND + _items(job, place) / rate
            left = place.end - time.monotonic()
            if expected > left:
                say(f"not started, {expected:.0f} s do not fit into {left:.0f} s: {job.title}")
                continue
            say(f"start {job.title}, about {expected:.0f} s")
            record = _run(job, place, say)
        except Exception:
            failures.append(f"{name}: {traceback.format_exc().strip().splitlines()[-1]}")
            say(f"FAILED {name}\n{traceback.format_exc()}")
            continue
        file.add(record)
        rate = max(_items(job, place) / max(record["train_seconds"], 1e-3), 1.0)
        found = [f"{r['part']}:{r['what']} {r['recall@1']:.2f}" for r in record["results"]]
        say(f"done {job.title} in {record['seconds']:.0f} s: {', '.join(found)}")
    return failures


def _run(job: RetrievalJob, place: Workplace, say: Say) -> dict[str, Any]:
    run = RetrievalRun(job, place.data(job.dataset), place.device, place.weights, place.end - _AROUND, place.side)
    record = run.train(say)
    if place.save is not None and job.stage == "final":
        target = place.save / f"{job.dataset}-{job.method}-{job.head if job.ours else 'floats'}-{job.seed}.npz"
        with atomic_path(target) as temporary, temporary.open("wb") as out:
            np.savez(out, **cast(Any, run.exported()))
        record["embeddings"] = target.name
    if place.device.type == "cuda":
        del run
        torch.cuda.empty_cache()
    return record


def _items(job: RetrievalJob, place: Workplace) -> float:
    """How many items a job sees in training."""
    learned, measured = place.data(job.dataset).split(job.stage)
    a_epoch = len(learned) + (len(measured) / 3 if job.stage == "select" else 0)
    return job.last_epoch * a_epoch


def _resolved(name: str, file: ResultsFile) -> RetrievalJob:
    if not name.endswith(_BEST):
        return RetrievalJob.parse(name)
    job = RetrievalJob.parse(name.removesuffix(f"+{_BEST}"))
    return replace(job, stop=file.best_epoch(job))
