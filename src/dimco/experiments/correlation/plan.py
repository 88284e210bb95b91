"""The runs of the correlation study: four methods, eight seeds, one code head."""

from __future__ import annotations

from typing import Any

from dimco.experiments.fewshot.job import FewShotJob
from dimco.experiments.fewshot.settings import settings_of

METHODS = ("dimco-infomax", "triplet", "npair", "protonet")
RUNS, EPOCHS, K, D = 8, 20, 64, 64
_STEPS_AN_EPOCH = 384


def correlation_jobs(dataset: str, backbone: str, runs: int = RUNS) -> list[FewShotJob]:
    """Each is measured after each of its 20 epochs, passes over miniImageNet's 38,400 images in batches of 100."""
    common: dict[str, Any] = {"steps": EPOCHS * _STEPS_AN_EPOCH, "validations": EPOCHS, "k": K, "d": D}
    return [
        FewShotJob("correlation", dataset, backbone, method, seed=run, **common, **settings_of(method, backbone))
        for run in range(runs)
        for method in METHODS
    ]
