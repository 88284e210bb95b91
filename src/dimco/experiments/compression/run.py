"""Running the grid: every cell over its seeds, resumable, the results file whole after each cell."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from dimco.atomic import write_text
from dimco.baselines import FloatKNN
from dimco.errors import DamagedFileError, InputError
from dimco.experiments.compression.data import Embeddings
from dimco.experiments.compression.measure import measure, measure_network, network_spec
from dimco.experiments.compression.methods import ONE_CODE
from dimco.experiments.compression.paper import PAPER
from dimco.experiments.compression.workers import Cell, Place, measured
from dimco.experiments.provenance import provenance
from dimco.spec import CodeSpec

GRIDS: dict[str, tuple[CodeSpec, ...]] = {
    "paper": tuple(CodeSpec(k, d) for k in (2, 4, 8, 16) for d in (2, 4, 8, 16)),
    "rate": tuple(CodeSpec(16, d) for d in (1, 2, 4, 8, 16, 32, 64)),
}


def run_grid(
    data: Embeddings,
    methods: Sequence[str],
    specs: Sequence[CodeSpec],
    seeds: Sequence[int],
    output: Path,
    command: str,
    on_cell: Callable[[Cell, int, int], None] | None = None,
    workers: int = 1,
) -> dict[str, Any]:
    """Measure what `output` lacks, and write it after every cell.

    Parameters
    ----------
    data : Embeddings
    methods, specs, seeds
        The grid; a method that cannot make a code is left out there, with its reason under `skipped`.
    output : Path
        The results file; cells that it already holds are not measured again.
    command : str
        Written into the file.
    on_cell : callable, optional
        Called with each new cell, how many of the grid are there, and how many it has.
    workers : int, default=1
        Processes that measure at once, with one thread each.

    Returns
    -------
    dict
        What the file holds: `cells`, one a method, code and seed; `rows`, their means and deviations.
    """
    stored = _stored(output, data.name)
    cells: list[Cell] = list(stored.get("cells", []))
    skipped: dict[str, str] = dict(stored.get("skipped", {}))
    plan = [Place(method, spec, seed) for seed in seeds for method in methods for spec in _codes(method, specs, data)]
    done = {_key(cell) for cell in cells}
    missing = [place for place in plan if _key_of(place) not in done]
    for place, found in measured(data, missing, workers):
        name = f"{place.method} {place.spec}"
        if isinstance(found, str):
            skipped[name] = found
            continue
        cells.append(found)
        done.add(_key(found))
        skipped.pop(name, None)
        _write(output, _results(cells, skipped, data, command, seeds))
        if on_cell is not None:
            on_cell(found, sum(_key_of(planned) in done for planned in plan), len(plan))
    if not any(cell["method"] == "float-knn" for cell in cells):
        cells += _references(data, seeds[0])
    results = _results(cells, skipped, data, command, seeds)
    if all(results[name] == stored.get(name) for name in ("skipped", "rows", "cells")):
        return stored
    _write(output, results)
    return results


def _codes(method: str, specs: Sequence[CodeSpec], data: Embeddings) -> Sequence[CodeSpec]:
    """The codes to measure a method at: those of the grid, or the one it has."""
    return [ONE_CODE[method](data.x.shape[1])] if method in ONE_CODE else specs


def _references(data: Embeddings, seed: int) -> list[Cell]:
    """What codes are measured against: the vote over the embeddings, and the network's own prediction."""
    features = data.x.shape[1]
    cells: list[Cell] = [{"method": "float-knn", "k": None, "d": None, "bits": 32 * features, "seed": seed}]
    cells[0] |= measure(FloatKNN(), data)
    network = measure_network(data)
    if network is not None:
        bits = network_spec(data.classes).bits
        cells.append({"method": "network", "k": data.classes, "d": 1, "bits": bits, "seed": seed, **network})
    return cells


def _results(
    cells: Sequence[Cell], skipped: dict[str, str], data: Embeddings, command: str, seeds: Sequence[int]
) -> dict[str, Any]:
    return {
        "experiment": "compression",
        "dataset": data.name,
        **provenance(command, seeds[0]),
        "skipped": skipped,
        "rows": summarized(cells, data),
        "cells": list(cells),
    }


def summarized(cells: Sequence[Cell], data: Embeddings) -> list[dict[str, Any]]:
    """One record a method, code and metric: the mean over seeds and their deviation."""
    groups: dict[tuple[Any, ...], list[Cell]] = {}
    for cell in cells:
        groups.setdefault((cell["method"], cell["k"], cell["d"], cell["bits"]), []).append(cell)
    rows = []
    for (method, k, d, bits), group in groups.items():
        for metric in ("top1", "top1_weighted"):
            values = [cell[metric] for cell in group if metric in cell]
            if values:
                row = {"dataset": data.name, "backbone": data.backbone, "method": method, "k": k, "d": d, "bits": bits}
                row |= {"metric": metric, "value": round(mean(values), 3)}
                row["spread"] = round(stdev(values), 3) if len(values) > 1 else None
                row["seeds"] = [cell["seed"] for cell in group]
                row["paper"] = PAPER.get((data.name, method, k, d)) if metric == "top1" else None
                rows.append(row)
    return rows


def _key(cell: Cell) -> tuple[Any, ...]:
    return cell["method"], cell["k"], cell["d"], cell["seed"]


def _key_of(place: Place) -> tuple[Any, ...]:
    return place.method, place.spec.k, place.spec.d, place.seed


def _write(output: Path, results: dict[str, Any]) -> None:
    write_text(output, json.dumps(results, indent=1) + "\n")


def _stored(output: Path, dataset: str) -> dict[str, Any]:
    """What the results file holds, nothing if there is none."""
    if not output.exists():
        return {}
    try:
        stored: dict[str, Any] = json.loads(output.read_text(encoding="utf-8"))
        name, _ = stored["dataset"], dict(stored.get("skipped", {}))
        whole = all(_key(cell) and {"bits", "top1"} <= set(cell) for cell in stored["cells"])
    except (ValueError, KeyError, TypeError, OSError) as error:
        raise DamagedFileError(f"{output} is not a results file of this experiment: {error}") from error
    if not whole:
        raise DamagedFileError(f"{output} is not a results file of this experiment: it holds a cell without its result")
    if name != dataset:
        raise InputError(f"expected results of {dataset} in {output}; it holds those of {name}")
    return stored
