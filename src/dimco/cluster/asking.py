"""Asking shards: all at once, lost ones again from another process, and an answer that lacks a part never."""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from dimco._version import __version__
from dimco.cluster.manifest import Manifest
from dimco.cluster.replicas import Replica, ReplicaSet
from dimco.cluster.room import bytes_needed, free_bytes, in_gib
from dimco.cluster.shard import Answer
from dimco.errors import ClusterError, DimcoError, MissingFileError
from dimco.extras import require

ATTEMPTS = 3
_SECONDS_OF_A_PULSE = 5.0
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class Question(NamedTuple):
    """A method of `Shard` with what it takes, for one shard; for one replica of it, if that is given."""

    shard: int
    method: str
    arguments: tuple[Any, ...] = ()
    replica: Replica | None = None


@dataclass(slots=True)
class _Asked:
    """A question on its way."""

    place: int
    question: Question
    replica: Replica
    reply: Any
    end: float
    attempt: int


class Shards:
    """The shards of a collection at work in a cluster.

    Parameters
    ----------
    manifest : Manifest
    sets : sequence of ReplicaSet, one a shard
    timeout : float
        Seconds that one process may take for one answer.
    """

    def __init__(self, manifest: Manifest, sets: Sequence[ReplicaSet], timeout: float) -> None:
        self._manifest, self._sets, self._timeout = manifest, sets, timeout
        self._ray: Any = require("ray")

    def ask_all(self, method: str, *arguments: Any) -> list[Any]:
        """What every shard says, in their order; together they answer for every item, or `ClusterError` is raised."""
        answers = self.ask([Question(shard, method, arguments) for shard in range(len(self._sets))])
        items = sum(answer.items for answer in answers)
        if items != self._manifest.items:
            raise ClusterError(f"expected an answer from all {self._manifest.items:,} items; got one from {items:,}")
        return [answer.value for answer in answers]

    def ask_every_replica(self, method: str) -> None:
        """Ask all processes of all shards, so that each is known to answer."""
        pairs = [(shard, replica) for shard, one in enumerate(self._sets) for replica in one.all()]
        self.ask([Question(shard, method, (), replica) for shard, replica in pairs])

    def ask(self, questions: Sequence[Question]) -> list[Answer]:
        """An answer to each question, asked at the same time.

        A question whose process is lost is asked again, `ATTEMPTS` times in all, of another one or of the one started
        in its place.

        Raises
        ------
        ClusterError
            It names the shard that did not answer.
        """
        if not self._ray.is_initialized():
            raise ClusterError("expected to be joined to the Ray cluster that holds the shards; this process left it")
        asked = deque(self._send(place, question, 1) for place, question in enumerate(questions))
        answers: dict[int, Answer] = {}
        try:
            while asked:
                answer = self._wait_for(asked[0])
                done = asked.popleft()
                self._sets[done.question.shard].give_back(done.replica, answered=answer is not None)
                if answer is None:
                    asked.append(self._send(done.place, done.question._replace(replica=None), done.attempt + 1))
                else:
                    answers[done.place] = answer
        finally:
            for left in asked:
                self._sets[left.question.shard].give_back(left.replica, answered=False)
        return [answers[place] for place in range(len(questions))]

    def _send(self, place: int, question: Question, attempt: int) -> _Asked:
        replica = self._sets[question.shard].take(question.replica)
        reply = getattr(replica.actor, question.method).remote(*question.arguments)
        return _Asked(place, question, replica, reply, time.monotonic() + self._timeout, attempt)

    def _wait_for(self, asked: _Asked) -> Answer | None:
        """The answer; None if the process that was asked is lost, and another one was started."""
        raised, shard = self._ray.exceptions, asked.question.shard
        try:
            answer: Answer = self._ray.get(asked.reply, timeout=max(0.0, asked.end - time.monotonic()))
        except raised.RayTaskError as error:
            raise self._failed(shard, error) from error
        except raised.GetTimeoutError:
            self._refuse_living(asked)
            said, elsewhere = "it did not answer, nor show that it lives", True
        except raised.RayError as error:
            said, elsewhere = _last_line(error), isinstance(error, raised.ActorUnavailableError)
        else:
            self._refuse_other(shard, answer)
            return answer
        self._sets[shard].replace(asked.replica, elsewhere)
        if asked.attempt == ATTEMPTS:
            raise ClusterError(f"{self._name(shard)} was lost {ATTEMPTS} times while it was asked: {said}")
        return None

    def _refuse_living(self, asked: _Asked) -> None:
        """Raise `ClusterError` for a process that is late, unless it is lost."""
        name, actor = self._name(asked.question.shard), asked.replica.actor
        if not self._sets[asked.question.shard].has_started(asked.replica):
            needed = in_gib(bytes_needed(self._manifest.shards[asked.question.shard]))
            raise ClusterError(
                f"{name} could not be started within {self._timeout:g} s: it needs {needed} of memory on one node, "
                f"and the cluster has {in_gib(free_bytes())} free in all"
            )
        pulse = actor.pulse.options(concurrency_group="pulse").remote()
        try:
            self._ray.get(pulse, timeout=_SECONDS_OF_A_PULSE)
        except self._ray.exceptions.RayError:
            return
        raise ClusterError(
            f"{name} did not answer within {self._timeout:g} s and is still at work: ask less at once, or give a "
            "longer timeout"
        )

    def _refuse_other(self, shard: int, answer: Answer) -> None:
        """Raise `ClusterError` unless an answer is of this version of dimco, and of the file in the manifest."""
        file = self._manifest.shards[shard]
        if answer.version != __version__:
            raise ClusterError(
                f"expected dimco {__version__} in the whole cluster, as here; {self._name(shard)} has {answer.version}"
            )
        if (answer.commit, answer.items) != (file.commit, file.items):
            raise ClusterError(f"{self._name(shard)} answered for another file than the manifest names")

    def _failed(self, shard: int, error: Any) -> DimcoError:
        """What a shard raised, as an error of ours."""
        cause = error.cause
        if isinstance(cause, MissingFileError):
            return ClusterError(f"{self._name(shard)}: {cause}; every node of the cluster must see it there")
        if isinstance(cause, DimcoError):
            return cause
        return ClusterError(f"{self._name(shard)} failed: {_last_line(error)}")

    def _name(self, shard: int) -> str:
        return f"shard {shard} of {len(self._sets)} ({self._manifest.shards[shard].path})"


def _last_line(error: Exception) -> str:
    lines = [line.strip() for line in _COLOUR.sub("", str(error)).splitlines() if line.strip()]
    return lines[-1][:200] if lines else type(error).__name__
