"""Many clients of the explorer at once: errors, and the spread of how long they wait.

usage: serve_load.py [--clients 200] [--seconds 30] [--items 100000] [-o RESULTS.json]

Starts `dimco serve` on a free port of this machine over made-up items with features and pictures, and keeps every
client asking, each its next question as soon as the last is answered. Reports the median and the 99th percentile of
the time to the whole answer, and their ratio, over all questions and for each kind; the clients run on the same cores.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch

from dimco import CodeIndex, CodeModel, CodeSpec, LinearHead
from dimco.atomic import write_text
from dimco.backbones import Standardize
from dimco.experiments.provenance import provenance

SEED, CLASSES, SIDE = 0, 100, 8
SPEC = CodeSpec(k=16, d=8)
KINDS = ("page", "map", "symbol", "combine", "item", "picture", "items")


def make_files(folder: Path, items: int) -> None:
    """A model with random weights, an index of what it makes of class means and noise, and the features."""
    rng = np.random.default_rng(SEED)
    labels = rng.integers(0, CLASSES, items)
    means = rng.uniform(0, 16, (CLASSES, SIDE * SIDE))
    x = (means[labels] + 2 * rng.standard_normal((items, SIDE * SIDE))).clip(0, 16).astype(np.float32)
    torch.manual_seed(SEED)
    model = CodeModel(Standardize(SIDE * SIDE).fit(x), LinearHead(SIDE * SIDE, SPEC))
    index = CodeIndex(SPEC)
    index.add(model.encode(x), labels=labels)
    model.save(folder / "model")
    index.save(folder / "index")
    np.savez(folder / "data.npz", x=x, y=labels)


@contextmanager
def explorer(folder: Path) -> Iterator[int]:
    """The port of `dimco serve`, which ends with the block."""
    command = [
        sys.executable,
        "-c",
        "from dimco.cli import main; main()",
        "serve",
        "model",
        "index",
        "--json",
        "--quiet",
    ]
    command += ["--data", "data.npz", "--pixels", f"{SIDE}x{SIDE}", "--port", "0"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield int(json.loads(process.stdout.readline())["explorer"].rpartition(":")[2])
            process.send_signal(signal.SIGTERM)
            print(f"server ended with {process.wait(60)}")
        finally:
            process.kill()


def question(kind: str, rng: np.random.Generator, items: int) -> str:
    """The path of one question of a kind."""
    item, symbol = int(rng.integers(items)), f"{rng.integers(SPEC.d)}/{rng.integers(SPEC.k)}"
    return {
        "page": "/",
        "map": "/api/map",
        "symbol": f"/api/symbol/{symbol}",
        "combine": f"/api/combine?has={symbol.replace('/', ':')}&lacks={rng.integers(SPEC.d)}:{rng.integers(SPEC.k)}",
        "item": f"/api/item/{item}?n=5",
        "picture": f"/api/picture/{item}",
        "items": f"/api/items?start={item}&n=24",
    }[kind]


async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str) -> int:
    """The status of the answer, once all of it is read."""
    writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
    await reader.readexactly(int(head.partition("content-length:")[2].partition("\r\n")[0]))
    return int(head.split(" ", 2)[1])


async def client(number: int, port: int, items: int, end: float, found: list[tuple[str, float, int]]) -> None:
    """Asks one question after another until the end; an answer that does not come counts as status 0."""
    rng = np.random.default_rng([SEED, number])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while time.perf_counter() < end:
        kind = KINDS[int(rng.integers(len(KINDS)))]
        start = time.perf_counter()
        try:
            status = await ask(reader, writer, question(kind, rng, items))
        except (OSError, asyncio.IncompleteReadError):
            status = 0
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
        found.append((kind, time.perf_counter() - start, status))
    writer.close()


def row(kind: str, found: list[tuple[str, float, int]], args: argparse.Namespace) -> dict[str, Any]:
    """The flat record of some answers."""
    seconds = np.array([seconds for _, seconds, _ in found])
    median, p99 = (1e3 * float(np.percentile(seconds, share)) for share in (50, 99))
    return {
        "dataset": "random",
        "method": "dimco-serve",
        "k": SPEC.k,
        "d": SPEC.d,
        "bits": SPEC.bits,
        "items": args.items,
        "clients": args.clients,
        "seconds": args.seconds,
        "kind": kind,
        "answers": len(found),
        "errors": sum(status != 200 for *_, status in found),
        "ms_median": median,
        "ms_p99": p99,
        "p99_over_median": p99 / median,
        "per_second": len(found) / args.seconds,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("-o", "--output", type=Path, default=Path("results/serve-load.json"))
    args = parser.parse_args()
    found: list[tuple[str, float, int]] = []

    async def all_clients(port: int) -> None:
        end = time.perf_counter() + args.seconds
        await asyncio.gather(*(client(number, port, args.items, end, found) for number in range(args.clients)))

    with TemporaryDirectory() as folder:
        make_files(Path(folder), args.items)
        start = time.perf_counter()
        with explorer(Path(folder)) as port:
            print(f"ready after {time.perf_counter() - start:.1f} s")
            asyncio.run(all_clients(port))
    rows = [row("all", found, args)]
    rows += [row(kind, [answer for answer in found if answer[0] == kind], args) for kind in KINDS]
    for record in rows:
        waits = f"median {record['ms_median']:.0f} ms, p99 {record['ms_p99']:.0f} ms"
        print(
            f"{record['kind']:>8}: {record['answers']:6} answers, {record['errors']} errors, {waits}, "
            f"{record['p99_over_median']:.1f} times the median"
        )
    command = f"benchmarks/serve_load.py --clients {args.clients} --seconds {args.seconds:g} --items {args.items}"
    content = {"experiment": "serve-load", **provenance(command, SEED), "rows": rows}
    write_text(args.output, json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main()
