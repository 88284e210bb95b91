"""Codes in the embedded databases and in Postgres, beside the index: latency, exactness, bytes an item, limits.

usage: databases.py [--items 10000,100000] [--codes 16x16,64x64] [--postgres ADDRESS] [-o results/databases.json]

Items are drawn from 100 classes that each have a distribution of symbols at every position, and queries are these
distributions. Each query is asked alone; the first one is left out of the times. "exact" is the share of queries with
the ids and scores of the index, in its order. The in-memory client of Qdrant compares vector by vector in Python, so
it takes part at the smallest number of items only. Postgres takes part where the address of a server with pgvector is
given. Limits are found by pushing and searching a few codes of more and more dimensions.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from dimco import CodeIndex, CodeSpec
from dimco.adapters.opening import open_collection
from dimco.atomic import write_text
from dimco.errors import DimcoError
from dimco.experiments.provenance import provenance

SEED, CLASSES, QUERIES, NEIGHBOURS = 0, 100, 21, 10
LIMIT_ITEMS, LIMIT_QUERIES = 50, 3
LIMIT_CODES = ("16x16", "64x64", "16x1000", "256x256", "4096x64", "65536x16", "65536x17")
FOLDER, MEMORY, MILVUS, POSTGRES = "qdrant, folder", "qdrant, in memory", "milvus, file", "postgres"
COLUMNS = {
    "code": "code",
    "items": "items",
    "engine": "engine",
    "per_second": "pushed a second",
    "ms_per_query": "ms a query",
    "exact": "exact",
    "bytes_per_item": "bytes an item",
}
Row = dict[str, Any]


def drawn(spec: CodeSpec, items: int) -> tuple[CodeIndex, Any]:
    """An index, and the log probabilities of the queries."""
    rng = np.random.default_rng(SEED)
    probabilities = rng.dirichlet(np.full(spec.k, 0.3), (CLASSES, spec.d)) + 1e-6
    labels = rng.integers(0, CLASSES, items)
    cumulated = (probabilities / probabilities.sum(-1, keepdims=True)).cumsum(-1)
    codes = np.empty((items, spec.d), spec.dtype)
    for place in range(spec.d):
        codes[:, place] = (rng.random((items, 1)) > cumulated[labels, place]).sum(1).clip(0, spec.k - 1)
    index = CodeIndex(spec)
    index.add(codes, labels=labels)
    return index, np.log(probabilities[:QUERIES] / probabilities[:QUERIES].sum(-1, keepdims=True)).astype(np.float32)


def asked_alone(search: Callable[[Any], Any], queries: Any) -> tuple[float, list[Any]]:
    """The median milliseconds of a query after the first, and the answers."""
    times, found = [], []
    for query in queries:
        start = time.perf_counter()
        found.append(search(query))
        times.append(time.perf_counter() - start)
    return 1e3 * float(np.median(times[1:])), found


def measured(engine: str, at: str, index: CodeIndex, queries: Any, size: Callable[[], int | None]) -> Row:
    """Push the index to a new collection and search it."""
    collection = open_collection(engine, at, table_of(index), index.spec)  # type: ignore[arg-type]
    start = time.perf_counter()
    collection.push(index)
    pushed = time.perf_counter() - start
    ms, found = asked_alone(lambda query: collection.search(query, NEIGHBOURS), queries)
    expected = [index.search(query, NEIGHBOURS) for query in queries]
    same = [
        np.array_equal(a.ids, b.ids) and np.array_equal(a.scores, b.scores)
        for a, b in zip(found, expected, strict=True)
    ]
    collection.close()
    stored = size()
    facts = {"per_second": round(len(index) / pushed), "ms_per_query": ms, "exact": float(np.mean(same))}
    return {**facts, "bytes_per_item": None if stored is None else stored / len(index)}


def table_of(index: CodeIndex) -> str:
    return f"codes_{index.spec}_{len(index)}"


def row(engine: str, index: CodeIndex, facts: Row) -> Row:
    """A flat record."""
    size = facts["bytes_per_item"]
    made = {
        "dataset": "random",
        "engine": engine,
        "method": "dimco" if engine == "dimco" else f"dimco-{engine.split(',', maxsplit=1)[0]}",
        "code": str(index.spec),
        "k": index.spec.k,
        "d": index.spec.d,
        "bits": index.spec.bits,
        "items": len(index),
        "per_second": facts.get("per_second"),
        "ms_per_query": round(facts["ms_per_query"], 3),
        "exact": facts["exact"],
        "bytes_per_item": None if size is None else round(size, 1),
    }
    print(made, flush=True)
    return made


def folder_bytes(folder: str) -> int:
    """What the files of a folder take on the disk."""
    return sum(512 * path.stat().st_blocks for path in Path(folder).rglob("*") if path.is_file())


def table_bytes(at: str, table: str) -> int:
    """What a table and its index of ids take; the table is removed."""
    import psycopg

    with psycopg.connect(at) as connection:
        found = connection.execute("select pg_total_relation_size(%s::regclass)", [f'"{table}"']).fetchone()
        connection.execute(f'drop table "{table}"')
    return 0 if found is None else int(found[0])


def places(engines: list[str], postgres: str | None) -> Iterator[tuple[str, str, str, Callable[[str], int | None]]]:
    """Each engine with its name, a fresh address, and how many bytes a table there takes."""
    for engine in engines:
        name = engine.split(",", maxsplit=1)[0]
        with TemporaryDirectory() as folder:
            at = {FOLDER: folder, MEMORY: ":memory:", MILVUS: f"{folder}/codes.db", POSTGRES: str(postgres)}[engine]
            if engine == POSTGRES:
                yield engine, name, at, lambda table, at=at: table_bytes(at, table)  # type: ignore[misc]
            elif engine == MEMORY:
                yield engine, name, at, lambda table: None
            else:
                yield engine, name, at, lambda table, folder=folder: folder_bytes(folder)  # type: ignore[misc]


def limits(engines: list[str], postgres: str | None) -> list[Row]:
    """Codes of more and more dimensions: whether each engine takes them, and how long a query then is."""
    rows = []
    for code in LIMIT_CODES:
        index, queries = drawn_uniformly(CodeSpec.parse(code))
        for engine, name, at, size in places(engines, postgres):
            made: Row = {"code": code, "dimensions": index.spec.k * index.spec.d, "engine": engine}
            try:
                facts = measured(name, at, index, queries, lambda index=index, size=size: size(table_of(index)))
                made |= {"taken": facts["exact"] == 1, "ms_per_query": round(facts["ms_per_query"], 2), "said": None}
            except DimcoError as error:
                made |= {"taken": False, "ms_per_query": None, "said": str(error)[:200]}
            print(made, flush=True)
            rows.append(made)
    return rows


def drawn_uniformly(spec: CodeSpec) -> tuple[CodeIndex, Any]:
    """A few codes and queries of any shape."""
    rng = np.random.default_rng(SEED)
    index = CodeIndex(spec)
    index.add(rng.integers(0, spec.k, (LIMIT_ITEMS, spec.d)).astype(spec.dtype))
    logits = rng.standard_normal((LIMIT_QUERIES, spec.d, spec.k), dtype=np.float32)
    return index, logits - np.log(np.exp(logits).sum(-1, keepdims=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", default="10000,100000")
    parser.add_argument("--codes", default="16x16,64x64")
    parser.add_argument("--postgres")
    parser.add_argument("-o", "--output", type=Path, default=Path("results/databases.json"))
    options = parser.parse_args()
    sizes, rows = sorted(map(int, options.items.split(","))), []
    lasting = [FOLDER, MILVUS, *([POSTGRES] if options.postgres else [])]
    for code in options.codes.split(","):
        for items in sizes:
            index, queries = drawn(CodeSpec.parse(code), items)
            ms, _ = asked_alone(lambda query, index=index: index.search(query, NEIGHBOURS), queries)
            rows.append(row("dimco", index, {"ms_per_query": ms, "exact": 1.0, "bytes_per_item": index.nbytes / items}))
            engines = lasting if items > sizes[0] else [FOLDER, MEMORY, *lasting[1:]]
            for engine, name, at, size in places(engines, options.postgres):
                facts = measured(name, at, index, queries, lambda index=index, size=size: size(table_of(index)))
                rows.append(row(engine, index, facts))
    command = f"benchmarks/databases.py --items {options.items} --codes {options.codes}"
    command += " --postgres ADDRESS" * bool(options.postgres)
    record = {"experiment": "databases", "columns": COLUMNS, **provenance(command, SEED), "rows": rows}
    record["limits"] = limits(lasting, options.postgres)
    record["clients"] = client_versions(options.postgres)
    write_text(options.output, json.dumps(record, indent=1) + "\n")


def client_versions(postgres: str | None) -> dict[str, str]:
    """The versions of the clients that took part, and of the server."""
    from importlib.metadata import version

    names = {
        "qdrant_edge": "qdrant-edge-py",
        "qdrant_client": "qdrant-client",
        "milvus_lite": "milvus-lite",
        "pymilvus": "pymilvus",
        "psycopg": "psycopg",
    }
    found = {name: version(name) for module, name in names.items() if module in sys.modules}
    if postgres:
        import psycopg

        with psycopg.connect(postgres) as connection:
            server = connection.execute("show server_version").fetchone()
            vector = connection.execute("select extversion from pg_extension where extname = 'vector'").fetchone()
        found |= {"postgres": str(server and server[0]).split()[0], "pgvector": str(vector and vector[0])}
    return found


if __name__ == "__main__":
    main()
