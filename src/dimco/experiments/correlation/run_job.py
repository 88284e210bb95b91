"""One run of the correlation study: train, and measure on the test classes after every epoch."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import torch

from dimco.experiments.correlation.measures import balanced_rows, measured, one_shot_tasks
from dimco.experiments.correlation.network import build_correlation
from dimco.experiments.fewshot.data import load_parts, training_preprocessing
from dimco.experiments.fewshot.job import FewShotJob
from dimco.experiments.fewshot.measure import Protocol
from dimco.experiments.fewshot.outputs import all_outputs
from dimco.experiments.fewshot.train import train_job
from dimco.fewshot.rules import Rule
from dimco.randomness import seeded

BATCHES = 500


def run_job(
    job: FewShotJob,
    root: Path | None,
    device: torch.device,
    protocol: Protocol | None = None,
    deadline: float | None = None,
) -> dict[str, Any]:
    """The record of a run: its settings, and every measure after each of `job.validations` equal parts of it.

    Nothing is chosen, so test classes may be looked at on the way. `protocol.test` bounds the number of batches.
    """
    start = time.perf_counter()
    parts = load_parts(job.dataset, root)
    labels = parts["test"].labels
    batches = min(BATCHES, (protocol or Protocol()).test)
    tasks, rows = one_shot_tasks(labels, batches), balanced_rows(labels, batches)
    with seeded(job.seed, "weights"):
        built = build_correlation(job, training_preprocessing(job.dataset, root), len(parts["train"].classes))
    points: list[dict[str, Any]] = []
    rule = Rule("nearest")

    def look(step: int) -> float:
        outputs = all_outputs(built.network, parts["test"].pixels, device, job.sharpness if job.learns_codes else None)
        if built.score is None:
            found = measured(rule.stored(outputs), rule.asked(outputs), outputs.exp(), rule.scores, tasks, rows)
        else:
            p = outputs.view(len(outputs), job.d, job.k).softmax(-1)
            found = measured(outputs, outputs, p, built.score, tasks, rows)
        points.append({"epoch": len(points) + 1, "step": step, **found})
        return float(step)

    trained = train_job(job, built, parts["train"], device, look, deadline=deadline)
    return {
        "job": job.as_record(),
        "points": points,
        "steps": trained.steps,
        "complete": trained.steps == trained.asked,
        "training_seconds": round(trained.seconds, 2),
        "seconds": round(time.perf_counter() - start, 2),
    }
