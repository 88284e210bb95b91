"""What is measured: the codes of the paper's table 4 and two more, at the size of its Cars database to ten million."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dimco.experiments.search_bench.peers import OURS, PEERS
from dimco.experiments.search_bench.timing import Pace
from dimco.spec import CodeSpec

SINGLE, BATCH = "single", "batch"


@dataclass(frozen=True)
class Plan:
    """A grid and how it is measured.

    Parameters
    ----------
    specs : tuple of CodeSpec
    items : tuple of int
        Sizes of the database.
    methods : tuple of str
    threads : tuple of int
        Of our own search; peers have one.
    paces : dict of str to Pace
        For `single` and `batch`.
    kernels : tuple of str
        Kernels of ours besides the best one, each a method `dimco-KERNEL`.
    n : int
        Neighbours asked for.
    seed : int
    """

    specs: tuple[CodeSpec, ...]
    items: tuple[int, ...]
    paces: dict[str, Pace]
    methods: tuple[str, ...] = (OURS, *PEERS)
    threads: tuple[int, ...] = (1, 2)
    kernels: tuple[str, ...] = ()
    n: int = 10
    seed: int = 0

    @property
    def queries(self) -> int:
        """Queries that a workload needs."""
        return self.paces[BATCH].queries


FULL = Plan(
    specs=tuple(CodeSpec(k, d) for k, d in ((16, 16), (32, 32), (64, 64), (128, 128), (256, 256), (2, 64))),
    items=(8_131, 100_000, 1_000_000, 10_000_000),
    paces={
        SINGLE: Pace(rounds=15, queries=25, at_once=False, turn=0.25, total=6),
        BATCH: Pace(rounds=5, queries=1_000, at_once=True, turn=16, total=24),
    },
)
QUICK = replace(
    FULL,
    specs=(CodeSpec(16, 16), CodeSpec(64, 64)),
    items=(8_131, 30_000),
    paces={
        SINGLE: Pace(rounds=5, queries=5, at_once=False, turn=0.05, total=0.3),
        BATCH: Pace(rounds=3, queries=100, at_once=True, turn=0.3, total=0.6, least_rounds=2),
    },
)
