"""The clock: contenders take turns in rounds, so that whatever the machine does in between meets all of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from dimco.extras import require

Ask = Callable[[slice], object]
_PROBE = 32


@dataclass(frozen=True)
class Pace:
    """How much is measured.

    Parameters
    ----------
    rounds : int
        Turns of a contender that is quick enough.
    queries : int
        Queries of a turn.
    at_once : bool
        Whether a turn's queries are asked in one call, or one after another.
    turn, total : float
        Seconds a contender may take a turn, and in all: a slow one gets fewer queries, then fewer rounds.
    least_rounds : int, default=3
        But never fewer than these.
    """

    rounds: int
    queries: int
    at_once: bool
    turn: float
    total: float
    least_rounds: int = 3


@dataclass
class Contender:
    """Someone who answers queries.

    Attributes
    ----------
    part : str or None
        The part of its search that is timed; None for all of it.
    queries, rounds : int
        What the pace allows it.
    ms : list of float
        Milliseconds a query of each of its rounds.
    """

    name: str
    threads: int
    ask: Ask
    queries: int = 0
    rounds: int = 0
    ms: list[float] = field(default_factory=list)
    part: str | None = None


def take_turns(contenders: Sequence[Contender], pace: Pace, available: int) -> None:
    """Measure every contender over `available` queries; who starts a round changes from round to round."""
    limits = require("threadpoolctl").threadpool_limits
    for contender in contenders:
        with limits(contender.threads):
            _allow(contender, pace, available)
    for number in range(pace.rounds):
        for place in range(len(contenders)):
            contender = contenders[(place + number) % len(contenders)]
            if _is_due(number, contender.rounds, pace.rounds):
                with limits(contender.threads):
                    taken = _turn(contender, len(contender.ms), contender.queries, pace, available)
                contender.ms.append(1e3 * taken / contender.queries)


def _allow(contender: Contender, pace: Pace, available: int) -> None:
    """Set a contender's queries and rounds from a trial, which warms it up too."""
    _turn(contender, 0, 1, pace, available)
    most = min(pace.queries, available)
    probe = min(_PROBE, most) if pace.at_once else 1
    estimate = _turn(contender, 0, probe, pace, available) / probe
    contender.queries = max(1, min(most, int(pace.turn / estimate)))
    affordable = int(pace.total / (estimate * contender.queries))
    contender.rounds = min(pace.rounds, max(pace.least_rounds, affordable))


def _turn(contender: Contender, number: int, queries: int, pace: Pace, available: int) -> float:
    """Seconds that a contender's turn takes."""
    start = time.perf_counter()
    if pace.at_once:
        contender.ask(slice(0, queries))
    else:
        for query in range(number * queries, (number + 1) * queries):
            contender.ask(slice(query % available, query % available + 1))
    return time.perf_counter() - start


def _is_due(number: int, rounds: int, of: int) -> bool:
    """Whether the `number`-th of `of` rounds is one of the `rounds` that are spread evenly over them."""
    return (number + 1) * rounds // of > number * rounds // of
