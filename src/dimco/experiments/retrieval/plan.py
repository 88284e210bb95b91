"""The trainings of table 4: each method first on held-out training classes, then, as long as was best, on all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dimco.experiments.retrieval.job import OURS, RetrievalJob
from dimco.experiments.retrieval.queue import BEST

FROZEN_CODES = "32x32,64x64,128x128"
"""Those that take minutes on a CPU."""

METHODS = ("dimco-infomax", "binomial-deviance", "triplet", "proxy-nca", "n-pair", "proxy-anchor")

FROZEN_SETTINGS: dict[str, dict[str, Any]] = {
    "dimco-infomax": {"lr": 3e-3, "epochs": 10},
    "dimco-decoder": {"lr": 3e-3, "epochs": 10},
    "binomial-deviance": {"lr": 1e-3},
    "triplet": {"lr": 1e-3, "epochs": 40},
    "proxy-nca": {"lr": 3e-3, "proxy_lr": 10.0},
    "n-pair": {"lr": 1e-2},
    "proxy-anchor": {"lr": 3e-3, "proxy_lr": 10.0},
}
"""Of features that stay as they are: chosen on held-out training classes of CUB."""


def retrieval_jobs(
    dataset: str, methods: Sequence[str], codes: str, seeds: Sequence[int], epochs: int | None, frozen: bool
) -> list[str]:
    """The names of the jobs: the epoch is selected with the first seed."""
    names = []
    for method in methods:
        job = RetrievalJob(dataset=dataset, method=method, **(FROZEN_SETTINGS.get(method, {}) if frozen else {}))
        job = replace(job, codes=codes if method in OURS else job.codes, seed=seeds[0], epochs=epochs or job.epochs)
        names.append(replace(job, stage="select").title)
        names += [f"{replace(job, seed=seed).title}+{BEST}" for seed in seeds]
    return names
