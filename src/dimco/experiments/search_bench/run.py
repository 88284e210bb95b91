"""Running the grid: every cell once, resumable, the results file whole after each."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from dimco.atomic import write_text
from dimco.errors import DamagedFileError, InputError
from dimco.experiments.provenance import provenance
from dimco.experiments.search_bench.cell import Cell, measure_cell
from dimco.experiments.search_bench.plan import Plan
from dimco.experiments.search_bench.rows import summarized
from dimco.experiments.search_bench.vectors import FloatVectors
from dimco.experiments.search_bench.workload import RANDOM, Workload, random_workload

EXPERIMENT = "search"
Key = tuple[Any, ...]
OnCell = Callable[[Cell, int, int], None]


def run_bench(
    plan: Plan, output: Path, command: str, own: Workload | None = None, on_cell: OnCell | None = None
) -> dict[str, Any]:
    """Measure what `output` lacks, and write it after every cell.

    Parameters
    ----------
    plan : Plan
    output : Path
        The results file. A cell that it holds is not measured again, and one machine's results are not mixed with
        another's.
    command : str
        Written into the file.
    own : Workload, optional
        Measured in place of the plan's random codes.
    on_cell : callable, optional
        Called with each new cell, its number and how many there are.

    Returns
    -------
    dict
        What the file holds: `cells`, as measured; `rows`, medians and what follows from them.
    """
    results = stored(output, provenance(command, plan.seed)["machine"])
    cells: list[Cell] = list(results.get("cells", []))
    done = {_key(cell) for cell in cells}
    total = 1 if own is not None else len(plan.items) * len(plan.specs)
    for number, (key, workload) in enumerate(_given(own, plan) if own is not None else _random(plan), 1):
        if key in done:
            continue
        cell = measure_cell(workload(), plan)
        cells.append(cell)
        made = provenance(command, plan.seed)
        results = {"experiment": EXPERIMENT, **made, "rows": summarized(cells), "cells": cells}
        write_text(output, json.dumps(results, indent=1) + "\n")
        if on_cell is not None:
            on_cell(cell, number, total)
    return results


def stored(output: Path, machine: Mapping[str, Any]) -> dict[str, Any]:
    """What a results file of this machine holds, nothing if there is none."""
    if not output.exists():
        return {}
    try:
        results: dict[str, Any] = json.loads(output.read_text(encoding="utf-8"))
        theirs = results["machine"]
        whole = results["experiment"] == EXPERIMENT and all(_key(cell) for cell in results["cells"])
    except (ValueError, KeyError, TypeError, OSError) as error:
        raise DamagedFileError(f"{output} is not a results file of this experiment: {error}") from error
    if not whole:
        raise DamagedFileError(f"{output} is not a results file of this experiment")
    for part in ("processor", "cores"):
        if theirs.get(part) != machine[part]:
            raise InputError(
                f"expected results of this machine ({machine[part]}) in {output}; it holds those of {theirs.get(part)}"
            )
    return results


def _random(plan: Plan) -> Iterator[tuple[Key, Callable[[], Workload]]]:
    """Every cell of the grid, size after size: the float vectors and their graph are made once a size."""
    for items in plan.items:
        vectors = FloatVectors(items, plan.queries, plan.seed)
        for spec in plan.specs:
            key = (RANDOM, spec.k, spec.d, items, plan.n, plan.seed)
            yield key, partial(random_workload, spec, vectors, plan.queries, plan.seed)


def _given(own: Workload, plan: Plan) -> Iterator[tuple[Key, Callable[[], Workload]]]:
    yield (own.dataset, own.spec.k, own.spec.d, own.items, plan.n, plan.seed), lambda: own


def _key(cell: Cell) -> Key:
    return tuple(cell[name] for name in ("dataset", "k", "d", "items", "n", "seed"))
