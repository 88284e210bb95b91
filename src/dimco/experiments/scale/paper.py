"""What a collection costs on paper: bytes, machines, and the time of one scan."""

from __future__ import annotations

import math
from dataclasses import dataclass

from dimco.experiments.scale.machine import MachineFigures
from dimco.search.layout import Layout
from dimco.spec import CodeSpec

SECONDS_A_DAY = 86_400


@dataclass(frozen=True)
class Assumed:
    """What was not measured.

    Parameters
    ----------
    memory : float
        Bytes of codes that a machine holds.
    days_up : float
        Days between two failures of a machine.
    noticed : float
        Seconds until a failure is noticed and the machine is back, without its shard.
    overhead : float
        Seconds that network and merging add to a query.
    busy : float
        The share of time in which machines scan.
    hedge_at : float
        A second replica is asked after so many times the usual time.
    """

    memory: float = 16e9
    days_up: float = 30
    noticed: float = 60
    overhead: float = 1e-3
    busy: float = 0.3
    hedge_at: float = 3.0


@dataclass(frozen=True)
class Sizing:
    """A collection cut into shards.

    Attributes
    ----------
    nbytes : int
        Of all codes, as an index holds them.
    shards : int
    seconds : float
        To scan one shard for one query.
    """

    nbytes: int
    shards: int
    seconds: float


def code_bytes(spec: CodeSpec, items: int) -> int:
    """Bytes of codes in an index with consecutive ids and no labels."""
    return Layout(spec).nbytes(items)


def by_memory(spec: CodeSpec, items: int, figures: MachineFigures, assumed: Assumed) -> Sizing:
    """As few machines as hold the collection."""
    return _cut(spec, items, figures, assumed.memory)


def by_time(spec: CodeSpec, items: int, figures: MachineFigures, assumed: Assumed, seconds: float) -> Sizing:
    """As few machines as scan the collection in so many seconds."""
    return _cut(spec, items, figures, min(assumed.memory, seconds * figures.bytes_a_second(spec)))


def down_share(sizing: Sizing, figures: MachineFigures, assumed: Assumed) -> float:
    """The share of time in which a machine is away: until a failure is noticed and its shard is read from its file."""
    away = assumed.noticed + sizing.nbytes / sizing.shards / figures.file_bytes_a_second
    return away / (assumed.days_up * SECONDS_A_DAY + away)


def _cut(spec: CodeSpec, items: int, figures: MachineFigures, most: float) -> Sizing:
    nbytes = code_bytes(spec, items)
    shards = math.ceil(nbytes / most)
    return Sizing(nbytes, shards, nbytes / shards / figures.bytes_a_second(spec))
