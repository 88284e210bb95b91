"""The processes that hold one shard: the least busy is asked, and one that was lost is started again from the file."""

from __future__ import annotations

import contextlib
import threading
from dataclasses import dataclass
from typing import Any

from dimco.cluster.manifest import ShardFile
from dimco.cluster.room import bytes_needed, group_for, release
from dimco.cluster.shard import Shard
from dimco.errors import ClusterError
from dimco.extras import require

CLOSED = "expected an open sharded index; it was closed"


@dataclass(eq=False)
class Replica:
    """A process with a shard.

    Attributes
    ----------
    actor : Any
        The handle of Ray's actor.
    place : int
        Its bundle in the shard's placement group.
    greeting : Any
        The reply it gives first, on its way until the process has started.
    answered : bool
        Whether it ever answered; until then it may be starting.
    waiting : int
        Questions it was asked and has not answered.
    """

    actor: Any
    place: int
    greeting: Any
    answered: bool = False
    waiting: int = 0


class ReplicaSet:
    """All processes of one shard.

    Parameters
    ----------
    file : ShardFile
    group : PlacementGroup
        With a bundle of memory for each replica; given back by `stop`.
    replicas : int
    """

    def __init__(self, file: ShardFile, group: Any, replicas: int) -> None:
        self.file, self._group = file, group
        self._lock, self._turn = threading.Lock(), 0
        self._replicas = [self._start(place) for place in range(replicas)]

    def all(self) -> list[Replica]:
        """Every replica there is now."""
        with self._lock:
            return list(self._replicas)

    def take(self, replica: Replica | None = None) -> Replica:
        """The replica to ask next, or the one given, with one more question waiting.

        Those that have answered go before those that are starting, then the least busy, then in turn.
        """
        with self._lock:
            if not self._replicas:
                raise ClusterError(CLOSED)
            for one in self._replicas:
                one.answered = one.answered or _has_started(one.greeting)
            self._turn += 1
            turns = {id(one): (place - self._turn) % len(self._replicas) for place, one in enumerate(self._replicas)}
            chosen = replica or min(self._replicas, key=lambda one: (not one.answered, one.waiting, turns[id(one)]))
            chosen.waiting += 1
            return chosen

    def has_started(self, replica: Replica) -> bool:
        """Whether a replica has answered, or died, since it was told to start."""
        with self._lock:
            replica.answered = replica.answered or _has_started(replica.greeting)
            return replica.answered

    def give_back(self, replica: Replica, answered: bool) -> None:
        """One question less waits for a replica."""
        with self._lock:
            replica.waiting -= 1
            replica.answered |= answered

    def replace(self, replica: Replica, elsewhere: bool) -> None:
        """Start another process in place of a lost one, unless that was done already.

        Where it was, its memory is still reserved. `elsewhere` is for a node that may be lost, which Ray itself finds
        out only later: a shard without other replicas then does not wait for that.
        """
        with self._lock:
            if replica not in self._replicas:
                return
            _end(replica.actor)
            if elsewhere and len(self._replicas) == 1:
                release([self._group])
                self._group = group_for(self.file, 1)
            self._replicas[replica.place] = self._start(replica.place)

    def stop(self) -> None:
        """End all processes and give back their memory; none is started any more."""
        with self._lock:
            ended, self._replicas = self._replicas, []
        for replica in ended:
            _end(replica.actor)
        release([self._group])

    def _start(self, place: int) -> Replica:
        scheduling = require("ray.util.scheduling_strategies")
        strategy = scheduling.PlacementGroupSchedulingStrategy(self._group, place)
        made = require("ray").remote(concurrency_groups={"pulse": 1})(Shard)
        options = {"num_cpus": 0, "memory": bytes_needed(self.file), "scheduling_strategy": strategy}
        actor = made.options(**options).remote(self.file)
        return Replica(actor, place, actor.about.remote())


def _has_started(greeting: Any) -> bool:
    """Whether a process has answered, or died; one that cannot open its file is asked only where there is no other."""
    ray = require("ray")
    try:
        ray.get(greeting, timeout=0)
    except (ray.exceptions.GetTimeoutError, ray.exceptions.RayTaskError):
        return False
    except ray.exceptions.RayError:
        return True
    return True


def _end(actor: Any) -> None:
    """End a process, which may have ended already."""
    with contextlib.suppress(Exception):
        require("ray").kill(actor)
