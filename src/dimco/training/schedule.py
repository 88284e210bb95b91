"""Learning-rate schedules as functions of the step, so that a resumed run needs no state of its own."""

from __future__ import annotations

import math

from dimco.training.config import ScheduleName

_WARM_UP = 0.2
_START = 1 / 25
_END = 1e-5


def learning_rate(schedule: ScheduleName, peak: float, step: int, total: int) -> float:
    """The learning rate at `step` of `total`.

    "one-cycle" climbs from peak / 25 over a fifth of the run and falls to nearly nothing, both along a
    cosine (Smith and Topin, "Super-convergence", 2018); "cosine" only falls; "constant" stays.
    """
    if schedule == "constant":
        return peak
    warm_up = _WARM_UP * total if schedule == "one-cycle" else 0.0
    if step < warm_up:
        return peak * _between(_START, 1.0, step / warm_up)
    return peak * _between(1.0, _END, (step - warm_up) / max(1.0, total - 1 - warm_up))


def _between(start: float, end: float, progress: float) -> float:
    return end + (start - end) * (1 + math.cos(math.pi * min(1.0, progress))) / 2
