"""A coarse first stage beside the plain scan: share of the items read, milliseconds, recall.

usage: coarse.py [--items 1000000,10000000] [--models a.safetensors,b.safetensors] [-o results/coarse.json]

What is searched, on one thread, 10 neighbours of each query:

- cifar100: the codes of the training embeddings, searched with the log p of test embeddings; these are few, so
- cifar100-drawn: as many as wanted, each from a training embedding drawn at random and jittered (normal noise of a
  quarter of each feature's deviation), a symbol drawn at each position from p of what came out;
- random: uniform codes and the log-softmax of normal logits, which no cells suit: the worst case.

Methods take turns in rounds; the time of a query is that of its fastest round, so that other work on the machine counts
little, and the figure is the mean over queries. Recall counts ties: a found item is right if its score is at least that
of the tenth of the exact answer.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from dimco import CodeIndex, CodeModel, CodeSpec
from dimco.atomic import write_text
from dimco.experiments.compression.data import load_embeddings
from dimco.experiments.provenance import provenance
from dimco.experiments.search_bench.workload import log_softmax
from dimco.randomness import generator
from dimco.search.coarse import Cells, CoarseIndex, ModeCells, PrefixCells

SEED, QUERIES, NEIGHBOURS, ROUNDS = 0, 50, 10, 7
JITTER, MODES, MODE_SAMPLE, CHUNK = 0.25, 256, 20_000, 1 << 16
LIMITS = (1, 4, 16, 64, 256)
Symbols = Any
Row = dict[str, Any]


def random_codes(spec: CodeSpec, items: int) -> tuple[Symbols, Any]:
    """Uniform codes, and queries that prefer symbols without a pattern."""
    rng = generator(SEED, f"coarse {spec}")
    symbols = rng.integers(0, spec.k, (items, spec.d), dtype=spec.dtype)
    return symbols, log_softmax(rng.standard_normal((QUERIES, spec.d, spec.k), dtype=np.float32))


def drawn_codes(model: CodeModel, x: Any, items: int) -> Symbols:
    """Codes like those a larger collection of the same kind might have."""
    rng, spec = generator(SEED, "coarse drawn"), model.spec
    deviation = JITTER * x.std(0)
    symbols = np.empty((items, spec.d), spec.dtype)
    for first in range(0, items, CHUNK):
        count = min(CHUNK, items - first)
        noise = rng.standard_normal((count, x.shape[1]), dtype=np.float32)
        cumulated = np.exp(model.log_probs(x[rng.integers(0, len(x), count)] + noise * deviation).numpy()).cumsum(-1)
        drawn = (rng.random((count, spec.d, 1), dtype=np.float32) > cumulated).sum(-1)
        symbols[first : first + count] = drawn.clip(0, spec.k - 1)
    return symbols


def workloads(models: list[Path], sizes: list[int]) -> Iterator[tuple[str, CodeSpec, Symbols, Any, list[int]]]:
    """Each collection with its queries, and the numbers of its items that are searched."""
    if models:
        data = load_embeddings("cifar100")
        x, asked = data.x.astype(np.float32), data.query.astype(np.float32)
        asked = asked[generator(SEED, "coarse queries").permutation(len(asked))[:QUERIES]]
        for path in models:
            model = CodeModel.load(path)
            queries = model.log_probs(asked).numpy()
            yield "cifar100", model.spec, model.encode(x).unpack(), queries, [len(x)]
            yield "cifar100-drawn", model.spec, drawn_codes(model, x, sizes[-1]), queries, [len(x), *sizes]
    for spec in (CodeSpec(16, 4), CodeSpec(16, 16)):
        symbols, queries = random_codes(spec, sizes[-1])
        yield "random", spec, symbols, queries, sizes


def cells_of(spec: CodeSpec, symbols: Symbols) -> Iterator[tuple[str, Cells]]:
    for positions in (1, 2, 3):
        yield f"{positions} position" + "s" * (positions > 1), PrefixCells(spec, positions)
    yield f"{MODES} modes", ModeCells.fit(spec, symbols[:MODE_SAMPLE], MODES, generator(SEED, "coarse modes"))


def fastest(asks: dict[Any, Callable[[Any], Any]], queries: Any) -> dict[Any, float]:
    """Milliseconds a query of each way to ask, when every query has the time of its fastest round."""
    best = {name: np.full(len(queries), np.inf) for name in asks}
    for _ in range(ROUNDS):
        for name, ask in asks.items():
            for place, query in enumerate(queries):
                start = time.perf_counter()
                ask(query)
                best[name][place] = min(best[name][place], time.perf_counter() - start)
    return {name: 1e3 * float(times.mean()) for name, times in best.items()}


def recall(found: Any, exact: Any) -> float:
    """The share of places filled with items that score as the exact answer's do."""
    return float((found.scores >= exact.scores[:, -1:]).mean())


def measured(dataset: str, spec: CodeSpec, symbols: Symbols, queries: Any) -> list[Row]:
    """The plain scan, and every kind of cells without and with limits."""
    index = CodeIndex(spec)
    index.add(symbols)
    exact = index.search(queries, NEIGHBOURS)
    facts = {"dataset": dataset, "method": "dimco", "k": spec.k, "d": spec.d, "bits": spec.bits, "items": len(index)}
    rows: list[Row] = []
    for name, cells in cells_of(spec, symbols):
        start = time.perf_counter()
        coarse = CoarseIndex(index, cells)
        built = time.perf_counter() - start
        limits = [None, *(limit for limit in LIMITS if limit < cells.count)]
        asks: dict[Any, Callable[[Any], Any]] = {"plain": lambda q: index.search(q, NEIGHBOURS, threads=1)}
        for limit in limits:
            asks[limit] = lambda q, c=coarse, limit=limit: c.search(q, NEIGHBOURS, limit, threads=1)
        ms = fastest(asks, queries)
        rows.append({**facts, "cells": name, "probes": "plain", "share": 1.0, "recall@10": 1.0, "ms": ms["plain"]})
        for limit in limits:
            found = coarse.search(queries, NEIGHBOURS, limit)
            if limit is None and not np.array_equal(found.ids, exact.ids):
                raise SystemExit(f"{dataset} {spec} {name}: not the answer of the index")
            row = {**facts, "cells": name, "probes": limit, "share": float(found.scanned.mean()) / len(index)}
            row |= {"recall@10": recall(found, exact), "ms": ms[limit], "build_seconds": round(built, 2)}
            rows.append({**row, "bytes_per_item": coarse.nbytes / len(index)})
        for row in rows[-1 - len(limits) :]:
            row.update({key: float(f"{row[key]:.4g}") for key in ("share", "recall@10", "ms")})
        said = {str(row["probes"]): (row["share"], row["recall@10"], row["ms"]) for row in rows[-1 - len(limits) :]}
        print(f"{dataset} {spec} {len(index):,} {name}: {said}", flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", default="1000000,10000000")
    parser.add_argument("--models", default="", help="of codes of CIFAR-100, from `dimco fit`; commas between")
    parser.add_argument("-o", "--output", type=Path, default=Path("results/coarse.json"))
    options = parser.parse_args()
    sizes = sorted(map(int, options.items.split(",")))
    models = [Path(name) for name in options.models.split(",") if name]
    rows = []
    for dataset, spec, symbols, queries, numbers in workloads(models, sizes):
        for items in numbers:
            rows += measured(dataset, spec, symbols[:items], queries)
    names = ",".join(path.name for path in models)
    command = f"benchmarks/coarse.py --items {options.items}" + f" --models {names}" * bool(names)
    settings = {"queries": QUERIES, "rounds": ROUNDS, "jitter": JITTER, "modes": MODES}
    record = {"experiment": "coarse", **provenance(command, SEED), **settings, "rows": rows}
    write_text(options.output, json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
