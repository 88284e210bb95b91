"""Measuring cells, in this process or in several with one thread each."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import Any, NamedTuple

import torch

from dimco.errors import DimcoError, InputError
from dimco.experiments.compression.data import Embeddings
from dimco.experiments.compression.measure import measure
from dimco.experiments.compression.methods import Methods, shares_work
from dimco.spec import CodeSpec

Cell = dict[str, Any]


class Place(NamedTuple):
    """Where a cell stands in the grid."""

    method: str
    spec: CodeSpec
    seed: int


def measured(data: Embeddings, places: Sequence[Place], workers: int = 1) -> Iterator[tuple[Place, Cell | str]]:
    """Each place with its cell, or with the reason why the method cannot make the code.

    One process measures in the order given. Several take the largest codes first and give cells as they come;
    cells that share a training or a choice of settings go to the same process.
    """
    if workers == 1:
        methods = Methods(data)
        for place in places:
            yield place, _cell(methods, data, place)
        return
    pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _start, (data,))
    try:
        for done in as_completed([pool.submit(_cells, task) for task in _tasks(places)]):
            yield from done.result()
    except BrokenProcessPool as error:
        raise DimcoError("a process that measured has ended before its time; start again to go on") from error
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _tasks(places: Sequence[Place]) -> list[list[Place]]:
    """The places that share work together, and tasks with large codes, which take longest, first."""
    tasks: dict[tuple[Any, ...], list[Place]] = {}
    for place in places:
        tasks.setdefault(shares_work(*place), []).append(place)
    return sorted(tasks.values(), key=lambda task: -max(place.spec.bits for place in task))


def _cell(methods: Methods, data: Embeddings, place: Place) -> Cell | str:
    try:
        quantizer = methods.make(*place)
        found = measure(quantizer, data)
    except InputError as error:
        return str(error)
    spec = place.spec
    cell = {"method": place.method, "k": spec.k, "d": spec.d, "bits": quantizer.bits, "seed": place.seed}
    return {**cell, **found, **getattr(quantizer, "facts", {})}


class _Process:
    """What a process of its own measures with."""

    methods: Methods


def _start(data: Embeddings) -> None:
    os.environ["OMP_NUM_THREADS"] = "1"
    torch.set_num_threads(1)
    _Process.methods = Methods(data)


def _cells(task: Sequence[Place]) -> list[tuple[Place, Cell | str]]:
    methods = _Process.methods
    return [(place, _cell(methods, methods.data, place)) for place in task]
