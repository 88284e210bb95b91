"""How long a job will take: a guess at first, and better as jobs finish."""

from __future__ import annotations

from statistics import median

from dimco.experiments.fewshot.job import FewShotJob

_MICROSECONDS_AN_IMAGE = {
    ("conv4", "miniimagenet"): 15.0,
    ("conv4", "cifar-fs"): 5.0,
    ("resnet12", "miniimagenet"): 110.0,
    ("resnet12", "cifar-fs"): 20.0,
}
_SMALLEST_STEP = 0.5e-3
_BEFORE_AND_AFTER = {"miniimagenet": 10.0, "cifar-fs": 6.0}
_REMEMBERED = 6


class CostModel:
    """Seconds of a job: those it takes alone on an H200, times how much slower jobs have turned out to be here."""

    def __init__(self, at_once: int = 1) -> None:
        self._factors: list[float] = []
        self._first = max(1.0, 0.6 * at_once)

    def seconds(self, job: FewShotJob) -> float:
        factor = median(self._factors[-_REMEMBERED:]) if self._factors else self._first
        return factor * alone(job)

    def learn(self, job: FewShotJob, seconds: float) -> None:
        """Take in how long a job took."""
        self._factors.append(seconds / alone(job))


def alone(job: FewShotJob) -> float:
    """Seconds of a job alone on an H200, guessed; a data set that is not known is taken as miniImageNet."""
    size = job.dataset if job.dataset in _BEFORE_AND_AFTER else "miniimagenet"
    step = max(_SMALLEST_STEP, job.batch_size * _MICROSECONDS_AN_IMAGE[job.backbone, size] * 1e-6)
    return _BEFORE_AND_AFTER[size] + (job.classifier_steps + job.steps) * step
