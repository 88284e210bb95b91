"""One cell: a code and a size, all methods measured side by side."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from dimco.errors import MissingExtraError
from dimco.experiments.search_bench.floor import Floor
from dimco.experiments.search_bench.memory import Unfit
from dimco.experiments.search_bench.peers import OURS, PEERS, DimcoIndex, Peer
from dimco.experiments.search_bench.plan import SINGLE, Plan
from dimco.experiments.search_bench.reference import exact_ids
from dimco.experiments.search_bench.timing import Contender, take_turns
from dimco.experiments.search_bench.workload import Workload
from dimco.extras import require
from dimco.search.layout import Layout

Cell = dict[str, Any]

FLOOR, TABLES = "floor", "tables"
_MOST_GATHERED = 1_000_000_000
_CHECKED_CODES, _CHECKED_VECTORS = (2, 100), 100


def measure_cell(workload: Workload, plan: Plan) -> Cell:
    """Time every method that fits, and compare its answers.

    Returns
    -------
    dict
        `floor`, what reads the codes fastest; `series`, the milliseconds a query of every round by method, threads and
        mode; `facts` of each method; `skipped`, the reasons for which others are not there.
    """
    start = time.perf_counter()
    spec, items = workload.spec, workload.items
    peers, skipped = _prepared(workload, plan)
    with require("threadpoolctl").threadpool_limits(1):
        floor = Floor(Layout(spec).nbytes(items))
    series = []
    for mode, pace in plan.paces.items():
        contenders = [contender for peer in peers for contender in _contenders(peer, plan.n)]
        if mode == SINGLE:
            contenders.append(Contender(FLOOR, 1, lambda _: floor.read()))
        take_turns(contenders, pace, len(workload.tables))
        for one in contenders:
            facts = {"method": one.name, "threads": one.threads, "mode": mode, "part": one.part}
            series.append(facts | {"queries": one.queries, "ms": [float(f"{value:.4g}") for value in one.ms]})
    return {
        "dataset": workload.dataset,
        "k": spec.k,
        "d": spec.d,
        "bits": spec.bits,
        "items": items,
        "n": plan.n,
        "seed": plan.seed,
        "floor": {"reader": floor.reader, "bytes": floor.bytes},
        "series": series,
        "facts": _facts(peers, workload, plan.n),
        "skipped": skipped,
        "seconds": round(time.perf_counter() - start, 1),
    }


def _prepared(workload: Workload, plan: Plan) -> tuple[list[Peer], dict[str, str]]:
    peers: list[Peer] = []
    skipped: dict[str, str] = {}
    for name in plan.methods:
        try:
            peers += _ours(workload, plan) if name == OURS else [PEERS[name](workload)]
        except (Unfit, MissingExtraError) as reason:
            skipped[name] = str(reason)
    return peers, skipped


def _ours(workload: Workload, plan: Plan) -> Iterator[Peer]:
    first = DimcoIndex(workload, threads=plan.threads[0])
    yield first
    for threads in plan.threads[1:]:
        yield DimcoIndex(workload, first.index, threads)
    for kernel in plan.kernels:
        yield DimcoIndex(workload, first.index, kernel=kernel)


def _contenders(peer: Peer, n: int) -> Iterator[Contender]:
    yield Contender(peer.name, peer.threads, lambda queries: peer.search(queries, n))
    if peer.tables(slice(0, 1)):
        yield Contender(peer.name, peer.threads, peer.tables, part=TABLES)


def _facts(peers: list[Peer], workload: Workload, n: int) -> list[dict[str, Any]]:
    fewest, most = _CHECKED_CODES
    checked = min(max(fewest, min(most, _MOST_GATHERED // workload.symbols.size)), len(workload.tables))
    exact = np.stack([exact_ids(workload.symbols, table, n) for table in workload.tables[:checked]])
    facts = []
    for peer in peers:
        fact = {"method": peer.name, "threads": peer.threads, "bytes_per_item": round(peer.bytes_per_item, 3)}
        if peer.answers == "codes":
            at_once = peer.search(slice(0, checked), n)
            single = np.concatenate([peer.search(slice(query, query + 1), n) for query in range(checked)])
            fact |= {"exactness": float(((at_once == exact) & (single == exact)).all(1).mean()), "checked": checked}
        elif peer.answers == "vectors":
            asked = min(_CHECKED_VECTORS, len(workload.tables))
            pairs = zip(peer.search(slice(0, asked), n), workload.vectors.nearest(asked, n), strict=True)
            fact |= {"recall": float(np.mean([np.isin(true, found).mean() for found, true in pairs])), "checked": asked}
        facts.append(fact | peer.facts())
    return facts
