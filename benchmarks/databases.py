"""Codes in the embedded databases and in Postgres, beside the index: latency, exactness, bytes an item.

usage: databases.py [--items 10000,100000] [--postgres ADDRESS] [-o results/databases.json]

Items are drawn from 100 classes that each have a distribution of symbols at every position, and queries are these
distributions. Each query is asked alone; the first one is left out of the times. "exact" is the share of queries with
the ids of the index in its order. Postgres takes part where the address of a server with pgvector is given.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from dimco import CodeIndex, CodeSpec
from dimco.adapters.opening import open_collection
from dimco.atomic import write_text
from dimco.experiments.provenance import provenance

SEED, CLASSES, QUERIES, NEIGHBOURS = 0, 100, 21, 10
SPEC = CodeSpec(k=16, d=16)
COLUMNS = {
    "engine": "engine",
    "items": "items",
    "per_second": "pushed a second",
    "ms_per_query": "ms a query",
    "exact": "exact",
    "bytes_per_item": "bytes an item",
}
Answer = Callable[[Any], Any]


def drawn(items: int) -> tuple[CodeIndex, Any]:
    """An index, and the log probabilities of the queries."""
    rng = np.random.default_rng(SEED)
    probabilities = rng.dirichlet(np.full(SPEC.k, 0.3), (CLASSES, SPEC.d)) + 1e-6
    labels = rng.integers(0, CLASSES, items)
    cumulated = (probabilities / probabilities.sum(-1, keepdims=True)).cumsum(-1)
    codes = np.empty((items, SPEC.d), np.uint8)
    for place in range(SPEC.d):
        codes[:, place] = (rng.random((items, 1)) > cumulated[labels, place]).sum(1).clip(0, SPEC.k - 1)
    index = CodeIndex(SPEC)
    index.add(codes, labels=labels)
    return index, np.log(probabilities[:QUERIES] / probabilities[:QUERIES].sum(-1, keepdims=True)).astype(np.float32)


def median_ms(search: Answer, queries: Any) -> tuple[float, list[Any]]:
    times, found = [], []
    for query in queries:
        start = time.perf_counter()
        found.append(search(query))
        times.append(time.perf_counter() - start)
    return 1e3 * float(np.median(times[1:])), found


def measured(engine: str, index: CodeIndex, queries: Any, at: str, size: Callable[[], int]) -> dict[str, Any]:
    collection = open_collection(engine, at, f"codes_{len(index)}", index.spec)  # type: ignore[arg-type]
    start = time.perf_counter()
    collection.push(index)
    pushed = time.perf_counter() - start
    ms, found = median_ms(lambda query: collection.search(query, NEIGHBOURS), queries)
    expected = [index.search(query, NEIGHBOURS) for query in queries]
    same = [
        np.array_equal(a.ids, b.ids) and np.array_equal(a.scores, b.scores)
        for a, b in zip(found, expected, strict=True)
    ]
    collection.close()
    return row(engine, index, len(index) / pushed, ms, float(np.mean(same)), size() / len(index))


def row(engine: str, index: CodeIndex, rate: float | None, ms: float, exact: float, size: float) -> dict[str, Any]:
    made = {
        "dataset": "random",
        "engine": engine,
        "method": "dimco" if engine == "dimco" else f"dimco-{engine}",
        "k": SPEC.k,
        "d": SPEC.d,
        "bits": SPEC.bits,
        "items": len(index),
        "per_second": None if rate is None else round(rate),
        "ms_per_query": round(ms, 3),
        "exact": exact,
        "bytes_per_item": round(size, 1),
    }
    print(made, flush=True)
    return made


def folder_bytes(folder: str) -> int:
    """What the files of a folder take on the disk."""
    return sum(512 * path.stat().st_blocks for path in Path(folder).rglob("*") if path.is_file())


def table_bytes(at: str, table: str) -> int:
    import psycopg

    with psycopg.connect(at) as connection:
        found = connection.execute("select pg_total_relation_size(%s::regclass)", [table]).fetchone()
        connection.execute(f"drop table {table}")
    return 0 if found is None else int(found[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", default="10000,100000")
    parser.add_argument("--postgres")
    parser.add_argument("-o", "--output", type=Path, default=Path("results/databases.json"))
    options = parser.parse_args()
    rows = []
    for items in map(int, options.items.split(",")):
        index, queries = drawn(items)
        ms, _ = median_ms(lambda query, index=index: index.search(query, NEIGHBOURS), queries)
        rows.append(row("dimco", index, None, ms, 1.0, index.nbytes / items))
        with TemporaryDirectory() as folder:
            rows.append(measured("qdrant", index, queries, folder, lambda folder=folder: folder_bytes(folder)))
        with TemporaryDirectory() as folder:
            at = f"{folder}/codes.db"
            rows.append(measured("milvus", index, queries, at, lambda folder=folder: folder_bytes(folder)))
        if options.postgres:
            at, table = options.postgres, f"codes_{items}"
            rows.append(measured("postgres", index, queries, at, lambda at=at, table=table: table_bytes(at, table)))
    command = f"benchmarks/databases.py --items {options.items}" + " --postgres ADDRESS" * bool(options.postgres)
    record = {"experiment": "databases", "columns": COLUMNS, **provenance(command, SEED), "rows": rows}
    record["clients"] = client_versions()
    write_text(options.output, json.dumps(record, indent=1) + "\n")


def client_versions() -> dict[str, str]:
    """The versions of the clients that took part."""
    from importlib.metadata import version

    names = {
        "qdrant_edge": "qdrant-edge-py",
        "milvus_lite": "milvus-lite",
        "pymilvus": "pymilvus",
        "psycopg": "psycopg",
    }
    return {name: version(name) for module, name in names.items() if module in sys.modules}


if __name__ == "__main__":
    main()
