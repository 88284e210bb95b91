"""Fitting and encoding a memory-mapped array of ImageNet's size, against the same work in memory.

usage: imagenet_scale.py [--items 1281167] [--steps 400] [--folder DIR] [-o RESULTS.json]

Makes a float16 array of items x 2048 on disk (5.2 GB), then, in processes of their own, fits a code for a
number of steps and encodes everything, once from the memory-mapped array and once from the array read into memory.
Reports items per second, their ratio, and the highest resident memory beyond mapped file pages.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from dimco.atomic import write_text
from dimco.experiments.provenance import provenance

FEATURES, CLASSES, BATCH, SEED = 2048, 1000, 1024, 0
ENCODED = 262_144
GIB = 2**30


def make_array(path: Path, items: int) -> np.ndarray:
    """Class means and noise, written in pieces; the labels come back."""
    rng = np.random.default_rng(SEED)
    labels = rng.integers(0, CLASSES, items)
    means = rng.normal(size=(CLASSES, FEATURES)).astype(np.float32)
    x = np.lib.format.open_memmap(path, mode="w+", dtype=np.float16, shape=(items, FEATURES))
    for start in range(0, items, 16_384):
        rows = labels[start : start + 16_384]
        x[start : start + len(rows)] = means[rows] + 2 * rng.standard_normal((len(rows), FEATURES), dtype=np.float32)
    x.flush()
    return labels


def own_memory() -> int:
    """Bytes of resident memory that are not pages of mapped files."""
    fields = dict(line.split(":") for line in Path("/proc/self/status").read_text().splitlines() if ":" in line)
    return int(fields["RssAnon"].split()[0]) * 1024


class Peak:
    """The highest `own_memory` seen while the block runs."""

    def __enter__(self) -> Peak:
        self.bytes, self._done = own_memory(), threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def _watch(self) -> None:
        while not self._done.wait(0.02):
            self.bytes = max(self.bytes, own_memory())

    def __exit__(self, *error: object) -> None:
        self._done.set()
        self._thread.join()


def work(path: str, labels_path: str, in_memory: bool, steps: int, result: Any) -> None:
    """One fit and one pass of encoding; runs in a process of its own."""
    from dimco.backbones import Standardize
    from dimco.heads import LinearHead
    from dimco.model import CodeModel
    from dimco.objectives import Infomax
    from dimco.spec import CodeSpec
    from dimco.training import ArrayData, TrainingConfig, train

    labels = np.load(labels_path)
    x = np.load(path, mmap_mode=None if in_memory else "r")
    before = own_memory()
    rng = np.random.default_rng(SEED)
    rows = np.sort(rng.choice(len(x), min(len(x), steps * BATCH), replace=False))
    with Peak() as peak:
        model = CodeModel(Standardize(FEATURES).fit(x), LinearHead(FEATURES, CodeSpec(16, 16)))
        data = ArrayData(x, labels) if steps * BATCH >= len(x) else _Scattered(x, labels, rows)
        start = time.perf_counter()
        train(model, Infomax(), data, TrainingConfig(epochs=1, batch_size=BATCH, seed=SEED))
        fitted = time.perf_counter()
        codes = model.encode(x[:ENCODED])
        encoded = time.perf_counter()
    result["fit_items_per_second"] = len(data.labels) / (fitted - start)
    result["encode_items_per_second"] = len(codes) / (encoded - fitted)
    result["own_memory_gib"] = (peak.bytes - before) / GIB


class _Scattered:
    """Batches from all over the array, as an epoch takes them, but fewer than an epoch has."""

    def __init__(self, x: Any, labels: np.ndarray, rows: np.ndarray) -> None:
        from dimco.training import ArrayData

        self._data, self._rows, self.labels = ArrayData(x, labels), rows, labels[rows]

    def batches(self, indices: Any, device: Any) -> Iterator[Any]:
        return self._data.batches((self._rows[batch] for batch in indices), device)


def measured(path: Path, labels: Path, in_memory: bool, steps: int) -> dict[str, float]:
    context = multiprocessing.get_context("spawn")
    with context.Manager() as manager:
        result = manager.dict()
        process = context.Process(target=work, args=(str(path), str(labels), in_memory, steps, result))
        process.start()
        process.join()
        if process.exitcode != 0:
            raise SystemExit(f"the measured process ended with {process.exitcode}")
        return dict(result)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=1_281_167)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--folder", type=Path, default=None)
    parser.add_argument("-o", "--output", type=Path, default=Path("results/imagenet-scale.json"))
    arguments = parser.parse_args()
    with TemporaryDirectory(dir=arguments.folder) as folder:
        x, y = Path(folder) / "x.npy", Path(folder) / "y.npy"
        np.save(y, make_array(x, arguments.items))
        found = {name: measured(x, y, name == "memory", arguments.steps) for name in ("mapped", "memory")}
    rows = []
    for name, result in found.items():
        for metric, value in result.items():
            ratio = value / found["memory"][metric] if metric.endswith("per_second") else None
            rows.append({"source": name, "metric": metric, "value": round(value, 3), "ratio": ratio})
            print(json.dumps(rows[-1]))
    command = f"python benchmarks/imagenet_scale.py --items {arguments.items} --steps {arguments.steps}"
    columns = {"source": "array", "metric": "measured", "value": "value", "ratio": "of that in memory"}
    facts: dict[str, Any] = {
        "columns": columns,
        "items": arguments.items,
        "features": FEATURES,
        "bytes": arguments.items * FEATURES * 2,
        "batch": BATCH,
    }
    write_text(arguments.output, json.dumps({**provenance(command, SEED), **facts, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
