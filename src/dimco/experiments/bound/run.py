"""Measure the gap over codes, numbers of tasks and numbers of samples."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import mean, stdev
from typing import Any, NamedTuple

import numpy as np

from dimco.atomic import write_text
from dimco.experiments.bound.tasks import halves, information
from dimco.experiments.compression.data import Embeddings
from dimco.experiments.provenance import provenance
from dimco.fitting import FitSettings, fit_code
from dimco.randomness import generator
from dimco.spec import CodeSpec
from dimco.theory import Count, generalization_bound

WAYS, DELTA = 10, 0.05
_FRESH_TASKS = 100
_COUNTS: dict[str, Count] = {"codeword": "codewords", "positions": "positions"}


class Cell(NamedTuple):
    """A code, and what it is learned from: n tasks of m samples."""

    spec: CodeSpec
    n: int
    m: int


CELLS = (
    *(Cell(CodeSpec(k, d), 20, 200) for k, d in ((2, 2), (2, 4), (2, 8), (4, 2), (4, 4), (16, 1), (16, 2), (16, 4))),
    *(Cell(CodeSpec(k, d), n, 200) for k, d in ((4, 2), (16, 2)) for n in (2, 5, 80)),
    *(Cell(CodeSpec(k, d), 20, m) for k, d in ((4, 2), (16, 2)) for m in (25, 50, 800)),
)


def run_bound(
    data: Embeddings,
    seeds: Sequence[int],
    output: Path,
    command: str,
    cells: Sequence[Cell],
    say: Callable[[str], None] = lambda line: None,
) -> dict[str, Any]:
    """Measure every cell, and write the results.

    Half of each class is where training tasks come from, and the other half stands for all items there are: the
    expected information is the mean over fresh tasks of it. Both halves are training embeddings, so that what the
    network behind them has learned by heart is no part of the gap.
    """
    rows = []
    for cell in cells:
        found = [gap(data, cell, seed) for seed in seeds]
        rows += [_row(data, cell, kind, [one[kind] for one in found], seeds) for kind in found[0]]
        told = ", ".join(f"{row['information']} {row['value']:+.3f} bits" for row in rows[-len(found[0]) :])
        say(f"{cell.spec} from {cell.n} tasks of {cell.m}: {told}")
    settings = {"classes": WAYS, "delta": DELTA, "fresh_tasks": _FRESH_TASKS}
    results = {"experiment": "bound", "dataset": data.name, **provenance(command, seeds[0]), **settings, "rows": rows}
    write_text(output, json.dumps(results, indent=1) + "\n")
    return results


def gap(data: Embeddings, cell: Cell, seed: int) -> dict[str, tuple[float, float]]:
    """Estimated and expected information in bits, by what it is the information of; learned as the paper does."""
    seen, unseen = halves(data.y, data.classes, WAYS, generator(seed, "halves"))
    rng = generator(seed, "tasks")
    tasks = [seen.draw(cell.m, rng) for _ in range(cell.n)]
    rows = np.concatenate([task.rows for task in tasks])
    present, labels = np.unique(data.y[rows], return_inverse=True)
    settings = FitSettings(k=cell.spec.k, d=cell.spec.d, group=1, device="cpu", seed=seed)
    model = fit_code(data.x[rows], labels, len(present), settings).model
    fresh = [unseen.whole(rng) for _ in range(_FRESH_TASKS)]
    estimated = [information(model, data.x, task) for task in tasks]
    expected = [information(model, data.x, task) for task in fresh]
    return {kind: (mean(one[kind] for one in estimated), mean(one[kind] for one in expected)) for kind in estimated[0]}


def _row(
    data: Embeddings, cell: Cell, kind: str, pairs: Sequence[tuple[float, float]], seeds: Sequence[int]
) -> dict[str, Any]:
    """A flat record; the bound is that of a VC dimension of 1, the least it can be."""
    k, d = cell.spec.k, cell.spec.d
    bound = generalization_bound(cell.n, cell.m, k, d, WAYS, 1, DELTA, _COUNTS[kind])
    gaps = [estimated - expected for estimated, expected in pairs]
    terms = {name: round(nats / math.log(2), 4) for name, nats in bound._asdict().items()}
    return {
        "dataset": data.name,
        "backbone": data.backbone,
        "method": "dimco-positions",
        "k": k,
        "d": d,
        "bits": cell.spec.bits,
        "n": cell.n,
        "m": cell.m,
        "information": kind,
        "metric": "gap_bits",
        "value": round(mean(gaps), 4),
        "spread": round(stdev(gaps), 4) if len(gaps) > 1 else None,
        "estimated": round(mean(pair[0] for pair in pairs), 4),
        "expected": round(mean(pair[1] for pair in pairs), 4),
        "bound": round(bound.total / math.log(2), 4),
        "terms": terms,
        "seeds": list(seeds),
        "paper": None,
    }
