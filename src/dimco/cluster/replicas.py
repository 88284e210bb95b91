"""The processes that hold one shard: the least busy is asked, and one that was lost is started again from the file."""

from __future__ import annotations

import contextlib
import threading
from dataclasses import dataclass
from typing import Any

from dimco.cluster.manifest import ShardFile
from dimco.cluster.room import bytes_needed
from dimco.cluster.shard import Shard
from dimco.extras import require


@dataclass(eq=False)
class Replica:
    """A process with a shard.

    Attributes
    ----------
    actor : Any
        The handle of Ray's actor.
    place : int
        Its bundle in the shard's placement group.
    answered : bool
        Whether it ever answered; until then it may be starting.
    waiting : int
        Questions it was asked and has not answered.
    """

    actor: Any
    place: int
    answered: bool = False
    waiting: int = 0


class ReplicaSet:
    """All processes of one shard.

    Parameters
    ----------
    file : ShardFile
    group : PlacementGroup
        With a bundle of memory for each replica.
    replicas : int
    """

    def __init__(self, file: ShardFile, group: Any, replicas: int) -> None:
        self.file, self._group = file, group
        self._lock, self._turn = threading.Lock(), 0
        self._replicas = [Replica(self._start(place), place) for place in range(replicas)]

    def all(self) -> list[Replica]:
        """Every replica there is now."""
        with self._lock:
            return list(self._replicas)

    def take(self, replica: Replica | None = None) -> Replica:
        """The replica to ask next, or the one given, with one more question waiting.

        Those that have answered before go before those that are starting, then the least busy, then in turn.
        """
        with self._lock:
            self._turn += 1
            turns = {id(one): (place - self._turn) % len(self._replicas) for place, one in enumerate(self._replicas)}
            chosen = replica or min(self._replicas, key=lambda one: (not one.answered, one.waiting, turns[id(one)]))
            chosen.waiting += 1
            return chosen

    def give_back(self, replica: Replica, answered: bool) -> None:
        """One question less waits for a replica."""
        with self._lock:
            replica.waiting -= 1
            replica.answered |= answered

    def replace(self, replica: Replica) -> None:
        """Start another process in place of a lost one, unless that was done already."""
        with self._lock:
            if replica not in self._replicas:
                return
            _end(replica.actor)
            self._replicas[replica.place] = Replica(self._start(replica.place), replica.place)

    def stop(self) -> None:
        """End all processes."""
        for replica in self.all():
            _end(replica.actor)

    def _start(self, place: int) -> Any:
        scheduling = require("ray.util.scheduling_strategies")
        strategy = scheduling.PlacementGroupSchedulingStrategy(self._group, place)
        made = require("ray").remote(concurrency_groups={"pulse": 1})(Shard)
        return made.options(num_cpus=0, memory=bytes_needed(self.file), scheduling_strategy=strategy).remote(self.file)


def _end(actor: Any) -> None:
    """End a process, which may have ended already."""
    with contextlib.suppress(Exception):
        require("ray").kill(actor)
