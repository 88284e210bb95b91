"""Jobs in a row within a time limit."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch

from dimco.atomic import atomic_path
from dimco.experiments.retrieval.data import RetrievalSet
from dimco.experiments.retrieval.job import RetrievalJob
from dimco.experiments.retrieval.store import JobsFile
from dimco.experiments.retrieval.train import RetrievalRun

BEST = "stop=best"
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
    keep : callable, optional
        Called with every run of stage final, once it is measured.
    """

    load: Callable[[str], RetrievalSet]
    device: torch.device
    weights: Path | None
    end: float
    save: Path | None = None
    keep: Callable[[RetrievalRun], None] | None = None
    side: int = 224
    sets: dict[str, RetrievalSet] = field(default_factory=dict)

    def data(self, name: str) -> RetrievalSet:
        if name not in self.sets:
            self.sets = {name: self.load(name)}
        return self.sets[name]


def run_jobs(names: Sequence[str], place: Workplace, file: JobsFile, say: Say) -> list[str]:
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
    if place.keep is not None and job.stage == "final":
        place.keep(run)
    if place.device.type == "cuda":
        del run
        torch.cuda.empty_cache()
    return record


def _items(job: RetrievalJob, place: Workplace) -> float:
    """How many items a job sees in training."""
    learned, measured = place.data(job.dataset).split(job.stage)
    a_epoch = len(learned) + (len(measured) / 3 if job.stage == "select" else 0)
    return job.last_epoch * a_epoch


def _resolved(name: str, file: JobsFile) -> RetrievalJob:
    if not name.endswith(BEST):
        return RetrievalJob.parse(name)
    job = RetrievalJob.parse(name.removesuffix(f"+{BEST}"))
    return replace(job, stop=file.best_epoch(job))
