"""What the search is meant to reach at a million items on one thread, and what was measured."""

from __future__ import annotations

from dataclasses import dataclass

from dimco.experiments.search_bench.figures import HEADLINE_ITEMS, Figures
from dimco.experiments.search_bench.peers import OURS
from dimco.experiments.search_bench.plan import BATCH, SINGLE


@dataclass(frozen=True)
class Goal:
    """To be `factor` times faster than `against`; where that is None, within `factor` times the bandwidth floor.

    Against ours itself, the goal is of two threads.
    """

    k: int
    d: int
    mode: str
    against: str | None
    factor: float

    @property
    def text(self) -> str:
        if self.against is None:
            return f"within {self.factor:g}x of the floor"
        if self.against == OURS:
            return f"two threads at least {self.factor:g}x faster than one"
        return f"no slower than {self.against}" if self.factor == 1 else f"{self.factor:g}x faster than {self.against}"

    def measured(self, figures: Figures) -> float | None:
        """The factor that was reached."""
        code = (self.k, self.d)
        if self.against is None:
            return figures.value("floor_ratio", OURS, code, HEADLINE_ITEMS, self.mode)
        if self.against == OURS:
            two = figures.ms(OURS, code, HEADLINE_ITEMS, self.mode, threads=2)
            one = figures.ms(OURS, code, HEADLINE_ITEMS, self.mode)
            return None if one is None or two is None else one / two
        return figures.times_ours(self.against, code, HEADLINE_ITEMS, self.mode)

    def met(self, reached: float) -> bool:
        return reached <= self.factor if self.against is None else reached >= self.factor


GOALS = (
    Goal(64, 64, SINGLE, "faiss-pq", 35),
    Goal(64, 64, SINGLE, "faiss-flat-l2", 8),
    Goal(64, 64, SINGLE, None, 2),
    Goal(64, 64, BATCH, "faiss-flat-l2", 2.5),
    Goal(64, 64, BATCH, OURS, 1.8),
    Goal(32, 32, SINGLE, None, 1.5),
    Goal(32, 32, BATCH, "faiss-flat-l2", 6),
    Goal(16, 16, SINGLE, "faiss-fastscan", 1),
    Goal(16, 16, BATCH, "faiss-fastscan", 1),
    Goal(256, 256, SINGLE, "faiss-pq", 5),
)
