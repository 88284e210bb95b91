"""Search of shards on a Ray cluster beside the index they were split from: latency, and recovery of what is lost.

usage: cluster_search.py [--cases 16x16:4000000,64x64:1000000] [--shards 2,4] [-o results/cluster-search.json]

Codes are random, queries are distributions from Dirichlet(0.3). The cluster has two nodes, both on this machine, so
that shards share its cores and nothing is won by having more of them: the figures are what a query pays for leaving
the process. A query is asked alone and as one of 100; "call" is the median of a question without any search. "exact"
says that ids and score bits were those of the index in every query asked. Then the process of a shard is killed,
and later the second node with all its shards, and the time until the next full answer is taken.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import ray
from ray.cluster_utils import Cluster

from dimco import CodeIndex, CodeSpec
from dimco.atomic import write_text
from dimco.cluster.connecting import connect
from dimco.cluster.sharded_index import ShardedIndex
from dimco.cluster.splitting import split_index
from dimco.experiments.provenance import provenance
from dimco.search.neighbours import Neighbours

SEED, QUERIES, NEIGHBOURS, SINGLE_ROUNDS, BATCH_ROUNDS = 0, 100, 10, 200, 10
NODE = {"num_cpus": 1, "memory": 6 << 30, "object_store_memory": 200 << 20}
COLUMNS = {
    "code": "code",
    "items": "items",
    "searched": "searched",
    "ms_alone": "ms, alone",
    "ms_in_batch": "ms, of 100",
    "ms_call": "ms, call",
    "open_s": "s to open",
    "killed_s": "s after a kill",
    "node_s": "s after a node",
    "exact": "exact",
}


def drawn(spec: CodeSpec, items: int) -> tuple[CodeIndex, Any]:
    """An index of random codes, and log probabilities of queries."""
    rng = np.random.default_rng(SEED)
    index = CodeIndex(spec)
    index.add(rng.integers(0, spec.k, (items, spec.d), dtype=spec.dtype))
    return index, np.log(rng.dirichlet(np.full(spec.k, 0.3), (QUERIES, spec.d)) + 1e-9).astype(np.float32)


def median_ms(ask: Callable[[int], Any], rounds: int) -> float:
    """The median over rounds, after one that does not count."""
    spent = []
    for turn in range(rounds + 1):
        start = time.perf_counter()
        ask(turn)
        spent.append(time.perf_counter() - start)
    return 1e3 * float(np.median(spent[1:]))


def seconds_of(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def speed(index: Any, queries: Any) -> dict[str, float]:
    """Milliseconds a query, alone and as one of all."""
    return {
        "ms_alone": median_ms(lambda turn: index.search(queries[turn % QUERIES], NEIGHBOURS), SINGLE_ROUNDS),
        "ms_in_batch": median_ms(lambda _: index.search(queries, NEIGHBOURS), BATCH_ROUNDS) / QUERIES,
    }


def same(found: Neighbours, expected: Neighbours) -> bool:
    return all(a.tobytes() == b.tobytes() for a, b in zip(found[:2], expected[:2], strict=True))


def kill_one(opened: ShardedIndex) -> None:
    """End the process of shard 0, and wait until it is gone."""
    actor = opened._sets[0].all()[0].actor
    process = ray.get(actor.__ray_call__.remote(lambda _: os.getpid()))
    os.kill(process, signal.SIGKILL)
    while Path(f"/proc/{process}").exists() and "Z" not in Path(f"/proc/{process}/stat").read_text():
        time.sleep(0.001)


def measured(cluster: Any, folder: Path, queries: Any, expected: Neighbours) -> dict[str, Any]:
    """One set of shards, from opening to recovery."""
    start = time.perf_counter()
    with ShardedIndex.open(folder) as opened:
        row: dict[str, Any] = {"open_s": time.perf_counter() - start}
        exact = same(opened.search(queries, NEIGHBOURS), expected)
        row |= speed(opened, queries)
        row["ms_call"] = median_ms(lambda _: opened._asked.ask_all("about"), SINGLE_ROUNDS)
        answers: list[Neighbours] = []
        kill_one(opened)
        row["killed_s"] = seconds_of(lambda: answers.append(opened.search(queries, NEIGHBOURS)))
        second = next(node for node in cluster.list_all_nodes() if node is not cluster.head_node)
        cluster.remove_node(second, allow_graceful=False)
        row["node_s"] = seconds_of(lambda: answers.append(opened.search(queries, NEIGHBOURS)))
        row["exact"] = exact and all(same(found, expected) for found in answers)
    cluster.add_node(**NODE)
    cluster.wait_for_nodes()
    return row


def record(spec: CodeSpec, items: int, searched: str, shards: int | None, row: dict[str, Any]) -> dict[str, Any]:
    rounded = {name: float(f"{value:.3g}") if isinstance(value, float) else value for name, value in row.items()}
    method = "dimco" if shards is None else "dimco-ray"
    shape = {"k": spec.k, "d": spec.d, "bits": spec.bits}
    made = {"dataset": "random", "method": method, "code": str(spec), **shape, "items": items, "shards": shards}
    made |= {"searched": searched, "queries": QUERIES, "neighbours": NEIGHBOURS, **rounded}
    print(made, flush=True)
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", default="16x16:4000000,64x64:1000000")
    parser.add_argument("--shards", default="2,4")
    parser.add_argument("-o", "--output", type=Path, default=Path("results/cluster-search.json"))
    options = parser.parse_args()
    cluster = Cluster(initialize_head=True, head_node_args={**NODE, "include_dashboard": False})
    cluster.add_node(**NODE)
    connect(cluster.address)
    rows = []
    for case in options.cases.split(","):
        code, _, count = case.partition(":")
        spec, items = CodeSpec.parse(code), int(count)
        index, queries = drawn(spec, items)
        expected = index.search(queries, NEIGHBOURS)
        with TemporaryDirectory() as name:
            folder = Path(name)
            index.save(folder / "whole.index")
            opened = CodeIndex.open(folder / "whole.index")
            rows.append(record(spec, items, "in the process", None, {**speed(opened, queries), "exact": True}))
            for shards in map(int, options.shards.split(",")):
                split_index(folder / "whole.index", shards, folder / str(shards))
                row = measured(cluster, folder / str(shards), queries, expected)
                rows.append(record(spec, items, f"in {shards} shards", shards, row))
    ray.shutdown()
    cluster.shutdown()
    command = f"benchmarks/cluster_search.py --cases {options.cases} --shards {options.shards}"
    content = {"experiment": "cluster-search", "columns": COLUMNS, **provenance(command, SEED), "rows": rows}
    content["versions"]["ray"] = ray.__version__
    write_text(options.output, json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main()
