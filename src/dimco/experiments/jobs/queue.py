"""JobQueue: which job is next, given the time that is left."""

from __future__ import annotations

import time
from collections.abc import Sequence

from dimco.experiments.fewshot.job import FewShotJob
from dimco.experiments.jobs.cost import CostModel


class JobQueue:
    """Jobs in the order of their selections, and within a selection the longest first.

    Parameters
    ----------
    selections : sequence of sequences of FewShotJob
        The first matter most.
    cost : CostModel
    time_limit : float or None
        Seconds from now; a job that would not end within them is passed over.
    """

    def __init__(
        self, selections: Sequence[Sequence[FewShotJob]], cost: CostModel, time_limit: float | None = None
    ) -> None:
        self._cost = cost
        self._end = None if time_limit is None else time.monotonic() + time_limit
        ordered = [job for jobs in selections for job in sorted(jobs, key=cost.seconds, reverse=True)]
        self._waiting = list(dict.fromkeys(ordered))

    @property
    def end(self) -> float | None:
        """When the time is over, on `time.monotonic`'s clock."""
        return self._end

    @property
    def left(self) -> float:
        """Seconds left."""
        return float("inf") if self._end is None else self._end - time.monotonic()

    @property
    def waiting(self) -> list[FewShotJob]:
        return list(self._waiting)

    def take(self) -> FewShotJob | None:
        """The first job that fits; None if there is none."""
        for place, job in enumerate(self._waiting):
            if self._cost.seconds(job) <= self.left:
                return self._waiting.pop(place)
        return None
