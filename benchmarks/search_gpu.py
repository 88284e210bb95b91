"""The speed of exact search on a GPU, beside reading the codes once from its memory.

usage: search_gpu.py [--items 100000000] [--k 16] [--d 16] [--queries 64] [--rounds 30] [--seed 0] [-o RESULTS.json]

Searches uniformly random codes that lie in the GPU's memory for the 10 best of each query, one query at a time and all
together, and checks the answers against float64 sums over all codes. Reads are timed as the fastest of three plain
torch reductions over the same bytes. Needs numpy and torch alone.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import torch

from dimco.atomic import write_text
from dimco.experiments.provenance import provenance
from dimco.search.device import DeviceIndex
from dimco.search.index import CodeIndex
from dimco.search.kernels.workers import usable_cores
from dimco.spec import CodeSpec

NEIGHBOURS, CHECKED = 10, 4
PARTS, DRAWN = 64, 1 << 16


def timed(work: Callable[[], Any], rounds: int) -> list[float]:
    """Milliseconds of each round, after three that do not count; a round ends when the GPU has finished."""
    spent = []
    for turn in range(rounds + 3):
        torch.cuda.synchronize()
        start = time.perf_counter()
        work()
        torch.cuda.synchronize()
        if turn >= 3:
            spent.append(1e3 * (time.perf_counter() - start))
    return spent


def reading(stored: torch.Tensor, rounds: int) -> list[float]:
    """Milliseconds of the fastest plain way to read all bytes once."""
    words = stored.view(torch.int64)
    ways: tuple[Callable[[], Any], ...] = (words.sum, words.amax, stored.view(torch.float32).amax)
    return min((timed(way, rounds) for way in ways), key=statistics.median)


def check(symbols: np.ndarray, tables: torch.Tensor, found: Any) -> None:
    """Compare ids and scores with sums over every code, added position after position in float64."""
    on_device = torch.from_numpy(symbols).cuda()
    for query in range(CHECKED):
        exact = torch.zeros(len(symbols), dtype=torch.float64, device="cuda")
        for position in range(symbols.shape[1]):
            entries = tables[query, position].double().cuda()
            exact += entries[on_device[:, position].int()]
        best = exact.topk(NEIGHBOURS + 100)
        order = sorted(zip((-best.values).tolist(), best.indices.tolist(), strict=True))[:NEIGHBOURS]
        if [item for _, item in order] != found.ids[query].tolist():
            sys.exit(f"error: query {query}: expected {order}; got {found.ids[query]} {found.scores[query]}")
        if [-score for score, _ in order] != found.scores[query].tolist():
            sys.exit(f"error: query {query}: expected the scores {order}; got {found.scores[query]}")


def drawn(items: int, spec: CodeSpec, seed: int) -> np.ndarray:
    """Uniformly random codes, drawn by several threads: the same for the same seed on every machine."""
    symbols = np.empty((items, spec.d), dtype=np.uint8)
    parts = np.array_split(symbols, PARTS)

    def draw(part: np.ndarray, rng: np.random.Generator) -> None:
        for start in range(0, len(part), DRAWN):
            some = part[start : start + DRAWN]
            some[:] = rng.integers(0, spec.k, some.shape, dtype=np.uint8)

    with ThreadPoolExecutor(usable_cores()) as threads:
        list(threads.map(draw, parts, np.random.default_rng([seed, 1]).spawn(PARTS)))
    return symbols


def measure(items: int, spec: CodeSpec, queries: int, rounds: int, seed: int) -> list[dict[str, Any]]:
    """Rows of the results."""
    rng = np.random.default_rng(seed)
    symbols = drawn(items, spec, seed)
    tables = torch.from_numpy(rng.normal(size=(queries, spec.d, spec.k)).astype(np.float32)).log_softmax(-1)
    index = CodeIndex(spec)
    index.add(symbols)
    device = index.on("cuda")
    check(symbols, tables, device.search(tables, NEIGHBOURS))
    turn = iter(range(10**9))
    single = timed(lambda: device.search(tables[next(turn) % queries], NEIGHBOURS), rounds)
    batch = timed(lambda: device.search(tables, NEIGHBOURS), max(3, rounds // 10))
    floor = reading(_bytes_of(device), rounds)
    common = {"code": str(spec), "k": spec.k, "d": spec.d, "items": items, "neighbours": NEIGHBOURS}
    return [
        _row(common, "dimco-cuda", "single", single, floor, 1),
        _row(common, "dimco-cuda", "batch", batch, floor, queries),
        _row(common, "read-once", "single", floor, floor, 1),
    ]


def _bytes_of(device: DeviceIndex) -> torch.Tensor:
    """The largest run of stored codes on the device."""
    return max((piece.blocks for piece in device._codes._pieces), key=len).reshape(-1)


def _row(
    common: dict[str, Any], method: str, mode: str, spent: list[float], floor: list[float], queries: int
) -> dict[str, Any]:
    median = statistics.median(spent) / queries
    low, _, high = statistics.quantiles(spent, n=4)
    return {
        **common,
        "method": method,
        "mode": mode,
        "queries": queries,
        "metric": "ms_per_query",
        "value": median,
        "quartiles": [low / queries, high / queries],
        "times_the_floor": median / statistics.median(floor),
        "exact": True,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, value in (("items", 100_000_000), ("k", 16), ("d", 16), ("queries", 64), ("rounds", 30), ("seed", 0)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("-o", type=Path, default=Path("results/search-gpu.json"))
    asked = parser.parse_args()
    if not torch.cuda.is_available():
        sys.exit("error: expected a CUDA device; torch finds none")
    spec = CodeSpec(asked.k, asked.d)
    rows = measure(asked.items, spec, asked.queries, asked.rounds, asked.seed)
    command = "python benchmarks/search_gpu.py " + " ".join(sys.argv[1:])
    record = {"experiment": "search-gpu", **provenance(command.strip(), asked.seed), "rows": rows}
    write_text(asked.o, json.dumps(record, indent=2) + "\n")
    for row in rows:
        print(
            f"{row['method']:12} {row['mode']:7} {row['value']:.4f} ms a query, {row['times_the_floor']:.2f} x reading"
        )


if __name__ == "__main__":
    main()
