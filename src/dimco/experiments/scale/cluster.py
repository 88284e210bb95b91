"""A collection in shards on many machines, and queries that wait for all of its shards, simulated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Factors = Callable[[np.random.Generator, int], NDArray[np.float64]]


@dataclass(frozen=True)
class Cluster:
    """Machines with a shard each.

    Parameters
    ----------
    shards : int
        Parts of the collection; a query is answered by all of them.
    replicas : int
        Machines that hold each shard; one of them answers.
    seconds : float
        How long a machine usually takes to scan its shard.
    hedge_after : float, optional
        After so many seconds another replica is asked as well, and the first answer counts.
    down_share : float
        The share of time in which a machine is away.
    overhead : float
        Seconds that network and merging add to a query.
    """

    shards: int
    replicas: int
    seconds: float
    hedge_after: float | None = None
    down_share: float = 0.0
    overhead: float = 0.0

    @property
    def machines(self) -> int:
        """How many there are."""
        return self.shards * self.replicas


@dataclass(frozen=True)
class Traffic:
    """What is simulated: epochs, each with its own machines down, of queries that come at random.

    Parameters
    ----------
    rate : float
        Queries a second; times between them are exponential.
    epochs, queries : int
        Epochs, and queries of each that count.
    settling : int
        Queries at the start of an epoch that do not count, for machines start idle.
    """

    rate: float
    epochs: int = 200
    queries: int = 100
    settling: int = 50


@dataclass(frozen=True)
class Outcome:
    """Seconds of every query answered, and the share refused because no replica of some shard was up."""

    latencies: NDArray[np.float64]
    refused: float

    def percentile(self, percent: float) -> float:
        """The latency that so many in a hundred answered queries do not exceed; NaN where none was answered."""
        return float(np.percentile(self.latencies, percent)) if len(self.latencies) else float("nan")


def simulate(cluster: Cluster, traffic: Traffic, factors: Factors, rng: np.random.Generator) -> Outcome:
    """Latencies of queries that go to one replica of every shard.

    Replicas take turns: the first query goes to the first replica of every shard, the next to the second, past those
    that are down. Each machine serves one query at a time, in the order in which they come. A second request is never
    called back, so it costs a machine's whole time; it takes its place in the queue when the first one's end is known,
    which is a little early.
    """
    answered: list[NDArray[np.float64]] = []
    refused = 0
    for _ in range(traffic.epochs):
        up = rng.random((cluster.shards, cluster.replicas)) >= cluster.down_share
        if up.any(1).all():
            answered.append(_epoch(cluster, traffic, factors, up, rng)[traffic.settling :])
        else:
            refused += 1
    return Outcome(np.concatenate([np.empty(0), *answered]), refused / traffic.epochs)


def refused_share(cluster: Cluster) -> float:
    """The probability that some shard has no replica up: 1 - (1 - u ** R) ** S."""
    return float(-np.expm1(cluster.shards * np.log1p(-(cluster.down_share**cluster.replicas))))


def _epoch(
    cluster: Cluster, traffic: Traffic, factors: Factors, up: NDArray[np.bool_], rng: np.random.Generator
) -> NDArray[np.float64]:
    shards, free = np.arange(cluster.shards), np.zeros(up.shape)
    spare = up.sum(1) > 1
    turns = [_turns(up, number) for number in range(cluster.replicas)]
    arrivals = rng.exponential(1 / traffic.rate, traffic.settling + traffic.queries).cumsum()
    latencies = np.empty(len(arrivals))
    for number, now in enumerate(arrivals):
        first, second = turns[number % cluster.replicas]
        ends = np.maximum(now, free[shards, first]) + cluster.seconds * factors(rng, cluster.shards)
        free[shards, first] = ends
        if cluster.hedge_after is not None:
            again = now + cluster.hedge_after
            late = np.flatnonzero((ends > again) & spare)
            others = np.maximum(again, free[late, second[late]]) + cluster.seconds * factors(rng, len(late))
            free[late, second[late]] = others
            ends[late] = np.minimum(ends[late], others)
        latencies[number] = ends.max() - now + cluster.overhead
    return latencies


def _turns(up: NDArray[np.bool_], number: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each shard the first replica that is up from the `number`-th on, and the next one after it."""
    replicas = up.shape[1]
    order = (number + np.arange(replicas)) % replicas
    ranked = order[np.argsort(~up[:, order], axis=1, kind="stable")]
    return ranked[:, 0], ranked[:, min(1, replicas - 1)]
