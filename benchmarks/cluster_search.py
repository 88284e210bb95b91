"""Search of shards on a Ray cluster beside the index they were split from: latency, and recovery of what is lost.

usage: cluster_search.py [--cases 16x16:4000000,64x64:1000000] [--shards 2,4] [-o results/cluster-search.json]

Codes are random, queries are distributions from Dirichlet(0.3). The cluster has two nodes, both on this machine, so
that shards share its cores and nothing is won by having more of them: the figures are what a query pays for leaving
the process. A query is asked alone and as one of 100, of the shards and of one index in turn; "a call" is a question to
all shards without any search. Times are medians. Then the process of a shard is killed, and later the second node with
all its shards, and the time until the next full answer is taken. "exact" says that the ids and score bits of all 100
queries were those of the index, at first and after each loss.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import time
from collections.abc import Callable, Sequence
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
    "shards": "shards",
    "ms_alone": "ms alone",
    "ms_alone_whole": "in one index",
    "ms_in_batch": "ms of 100",
    "ms_in_batch_whole": "in one index",
    "ms_call": "ms a call",
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


def median_ms(ways: Sequence[Callable[[int], Any]], rounds: int) -> list[float]:
    """The median of each way over rounds, after one that does not count; the ways take turns."""
    spent = np.array([[seconds_of(lambda way=way, turn=turn: way(turn)) for way in ways] for turn in range(rounds + 1)])
    return [1e3 * float(median) for median in np.median(spent[1:], axis=0)]


def seconds_of(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def speed(opened: ShardedIndex, whole: CodeIndex, queries: Any) -> dict[str, float]:
    """Milliseconds a query, alone and as one of all, in shards and in one index; and those of a call."""
    both = (opened, whole)
    alone = [lambda turn, one=one: one.search(queries[turn % QUERIES], NEIGHBOURS) for one in both]
    batch = [lambda _, one=one: one.search(queries, NEIGHBOURS) for one in both]
    found = [*median_ms(alone, SINGLE_ROUNDS), *(ms / QUERIES for ms in median_ms(batch, BATCH_ROUNDS))]
    found += median_ms([lambda _: opened._asked.ask_all("about")], SINGLE_ROUNDS)
    return dict(zip(("ms_alone", "ms_alone_whole", "ms_in_batch", "ms_in_batch_whole", "ms_call"), found, strict=True))


def same(found: Neighbours, expected: Neighbours) -> bool:
    return all(a.tobytes() == b.tobytes() for a, b in zip(found[:2], expected[:2], strict=True))


def kill_one(opened: ShardedIndex) -> None:
    """End the process of shard 0, and wait until it is gone."""
    actor = opened._sets[0].all()[0].actor
    process = ray.get(actor.__ray_call__.remote(lambda _: os.getpid()))
    os.kill(process, signal.SIGKILL)
    while Path(f"/proc/{process}").exists() and "Z" not in Path(f"/proc/{process}/stat").read_text():
        time.sleep(0.001)


def measured(cluster: Any, folder: Path, whole: CodeIndex, queries: Any) -> dict[str, Any]:
    """One set of shards, from opening to recovery."""
    expected, start = whole.search(queries, NEIGHBOURS), time.perf_counter()
    with ShardedIndex.open(folder) as opened:
        row: dict[str, Any] = {"open_s": time.perf_counter() - start}
        exact = same(opened.search(queries, NEIGHBOURS), expected)
        row |= speed(opened, whole, queries)
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


def record(spec: CodeSpec, items: int, shards: int, row: dict[str, Any]) -> dict[str, Any]:
    rounded = {name: float(f"{value:.3g}") if isinstance(value, float) else value for name, value in row.items()}
    shape = {"k": spec.k, "d": spec.d, "bits": spec.bits}
    made = {"dataset": "random", "method": "dimco-ray", "code": str(spec), **shape, "items": items, "shards": shards}
    made |= {"queries": QUERIES, "neighbours": NEIGHBOURS, **rounded}
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
        with TemporaryDirectory() as name:
            folder = Path(name)
            index.save(folder / "whole.index")
            whole = CodeIndex.open(folder / "whole.index")
            for shards in map(int, options.shards.split(",")):
                split_index(folder / "whole.index", shards, folder / str(shards))
                rows.append(record(spec, items, shards, measured(cluster, folder / str(shards), whole, queries)))
    ray.shutdown()
    cluster.shutdown()
    command = f"benchmarks/cluster_search.py --cases {options.cases} --shards {options.shards}"
    content = {"experiment": "cluster-search", "columns": COLUMNS, **provenance(command, SEED), "rows": rows}
    content["versions"]["ray"] = ray.__version__
    write_text(options.output, json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main()
