"""How much longer than its usual time a machine takes now and then."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Stragglers:
    """Factors on a machine's time: most close to 1 (lognormal), a few far above it (Pareto).

    Parameters
    ----------
    sigma : float
        Deviation of the logarithm of all factors.
    slow_share : float
        The share of requests that are slow on top of that.
    slow_least : float
        These take at least so many times as long.
    slow_power : float
        And x times that with probability 1 / x ** slow_power; above 2, so that there is a variance.
    """

    sigma: float = 0.1
    slow_share: float = 0.001
    slow_least: float = 2.0
    slow_power: float = 2.5

    def factors(self, rng: np.random.Generator, count: int) -> NDArray[np.float64]:
        """Independent factors, of shape (count,)."""
        drawn = np.exp(self.sigma * rng.standard_normal(count))
        slow = np.flatnonzero(rng.random(count) < self.slow_share)
        drawn[slow] *= self.slow_least * (1 - rng.random(len(slow))) ** (-1 / self.slow_power)
        return drawn

    @property
    def mean(self) -> float:
        """The expected factor."""
        slow = self.slow_least * self.slow_power / (self.slow_power - 1)
        return float(np.exp(self.sigma**2 / 2)) * (1 - self.slow_share + self.slow_share * slow)
