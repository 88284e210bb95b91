"""From a job to its record, whatever its kind."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from dimco.experiments.correlation.run_job import run_job as run_correlation
from dimco.experiments.fewshot.job import FewShotJob
from dimco.experiments.fewshot.measure import Protocol
from dimco.experiments.fewshot.run_job import run_job as run_fewshot


def execute(
    job: FewShotJob,
    root: Path | None,
    device: torch.device,
    protocol: Protocol,
    deadline: float | None = None,
    models: Path | None = None,
) -> dict[str, Any]:
    """Run a job on a device; its training ends at the deadline, on `time.monotonic`'s clock, if not before."""
    if job.experiment == "correlation":
        return run_correlation(job, root, device, protocol, deadline)
    return run_fewshot(job, root, device, protocol, deadline, models)
