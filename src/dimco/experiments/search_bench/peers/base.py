"""What every peer offers to the clock."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dimco.experiments.search_bench.workload import Workload

Ids = NDArray[np.int64]


class Peer(ABC):
    """One way to search, ready for one workload; making it raises `Unfit` where it cannot be measured.

    Attributes
    ----------
    name : str
    answers : {"codes", "vectors", None}
        What its answers are compared with: the exact best codes (exactness), the true nearest vectors (recall),
        or nothing, where it is the standard itself.
    threads : int
    bytes_per_item : float
        What it keeps in memory an item.
    """

    name: str
    answers: str | None = "codes"
    threads: int = 1
    bytes_per_item: float

    def __init__(self, workload: Workload) -> None:
        self.workload = workload

    @abstractmethod
    def search(self, queries: slice, n: int) -> Ids:
        """The ids of the n best for these queries of the workload, (Q, n), asked all at once."""

    def tables(self, queries: slice) -> bool:
        """Do again, to be timed apart, what a search spends on saying our queries in its own terms; whether it does."""
        return False

    def facts(self) -> dict[str, Any]:
        """What else is worth writing down about it."""
        return {}
