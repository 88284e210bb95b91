"""Encoding a collection with `dimco encode`, its engines and without: seconds, items a second, memory of the process.

usage: encode_collection.py [--repeats 20,100] [--pictures 10000] [-o results/encode-collection.json]

Needs the data folder (DIMCO_DATA): the embeddings of the CIFAR-100 training set, repeated, in ten parquet files, and
the pictures of its test set with the network that made the embeddings. Every run is a process of its own; "MB" is the
most memory that this process ever held, without the processes that Ray starts. The codes of all runs over a collection
are compared.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from dimco import CodeModel, CodeSpec
from dimco.atomic import write_text
from dimco.cli.app import run as dimco
from dimco.cluster.encoding.run import encode_collection
from dimco.cluster.encoding.stored import read_parquet_codes
from dimco.cluster.encoding.work import plan_work
from dimco.datasets import data_folder, load_data
from dimco.experiments.provenance import provenance

SEED, FILES, SPEC = 0, 10, CodeSpec(k=16, d=8)
EMBEDDINGS, PICTURES = "embeddings/cifar100_resnet20_train.npz", "images/cifar100_test.npz"
BACKBONE, WEIGHTS = "resnet20-cifar100", "weights/cifar100_resnet20.safetensors"
COLUMNS = {
    "dataset": "collection",
    "method": "engine",
    "workers": "processes",
    "items": "items",
    "seconds": "seconds",
    "first_part": "to the first part",
    "per_second": "items a second",
    "mb": "MB",
}
RUNS: tuple[tuple[str, int | None], ...] = (("none", None), ("local", None), ("ray", 1), ("ray", 2))


def write_rows(folder: Path, repeats: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    data = load_data(data_folder() / EMBEDDINGS)
    x = pa.FixedSizeListArray.from_arrays(pa.array(data.x.reshape(-1)), data.x.shape[1])
    table = pa.table({"embedding": x, "label": data.labels()})
    whole = pa.concat_tables([table] * repeats)
    (folder / "files").mkdir()
    each = len(whole) // FILES
    for file in range(FILES):
        pq.write_table(whole.slice(file * each, each), folder / "files" / f"{file}.parquet", row_group_size=each // 2)
    pq.write_table(whole, folder / "one.parquet")


def write_pictures(folder: Path, count: int) -> None:
    from PIL import Image

    with np.load(data_folder() / PICTURES) as archive:
        images, labels = archive["x"][:count], archive["y"][:count]
    for number, (image, label) in enumerate(zip(images, labels, strict=True)):
        place = folder / "files" / f"{label:03d}"
        place.mkdir(parents=True, exist_ok=True)
        Image.fromarray(image).save(place / f"{number:05d}.png")


def one_run(model: Path, data: Path, output: Path, engine: str, workers: int | None, pictures: bool) -> dict[str, Any]:
    """One run, in this process."""
    start, parts = time.perf_counter(), []
    if engine == "none":
        items = load_data(data / "one.parquet")
        symbols = CodeModel.load(model).encode(items.x).unpack()
    else:
        network = {"backbone": BACKBONE, "weights": data_folder() / WEIGHTS} if pictures else {}
        encode_collection(
            plan_work(model, data / "files", **network),  # type: ignore[arg-type]
            output,
            engine=engine,  # type: ignore[arg-type]
            workers=workers,
            on_items=lambda _: parts.append(time.perf_counter() - start),
        )
    seconds, mb = time.perf_counter() - start, _peak_mb()
    if engine != "none":
        symbols = read_parquet_codes(output).symbols
    return {
        "items": len(symbols),
        "seconds": seconds,
        "first_part": parts[0] if parts else None,
        "per_second": round(len(symbols) / seconds),
        "mb": round(mb),
        "codes": hashlib.sha256(np.ascontiguousarray(symbols).tobytes()).hexdigest(),
    }


def measured(model: Path, data: Path, engine: str, workers: int | None, pictures: bool) -> dict[str, Any]:
    """One run, in a process of its own."""
    with TemporaryDirectory(dir=data) as folder:
        asked = json.dumps([str(model), str(data), f"{folder}/codes", engine, workers, pictures])
        command = [sys.executable, __file__, "--run", asked]
        answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    made: dict[str, Any] = json.loads(answer)
    return {"method": engine, "workers": workers, **made}


def _peak_mb() -> float:
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", default="20,100")
    parser.add_argument("--pictures", type=int, default=10_000)
    parser.add_argument("-o", "--output", type=Path, default=Path("results/encode-collection.json"))
    parser.add_argument("--run", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        model, data, output, engine, workers, pictures = json.loads(options.run)
        print(json.dumps(one_run(Path(model), Path(data), Path(output), engine, workers, pictures)))
        return
    rows: list[dict[str, Any]] = []
    with TemporaryDirectory() as place:
        model = Path(place, "model")
        fit = ["fit", data_folder() / EMBEDDINGS, "-o", model, "--k", SPEC.k, "--d", SPEC.d, "--epochs", 5, "-q"]
        if dimco([*map(str, fit), "--seed", str(SEED)]) != 0:
            raise SystemExit("expected a model; it was not trained")
        collections = [("embeddings", int(repeats)) for repeats in options.repeats.split(",")]
        for name, size in [*collections, ("pictures", options.pictures)]:
            folder = Path(place, f"{name}-{size}")
            folder.mkdir()
            (write_rows if name == "embeddings" else write_pictures)(folder, size)
            for engine, workers in RUNS:
                if engine == "none" and (name == "pictures" or size > collections[0][1]):
                    continue
                row = measured(model, folder, engine, workers, name == "pictures")
                rows.append({"dataset": f"cifar100 {name}", "k": SPEC.k, "d": SPEC.d, "bits": SPEC.bits, **row})
                print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
            _refuse_differing([row["codes"] for row in rows if row["dataset"].endswith(name)][-len(RUNS) + 1 :])
    command = f"benchmarks/encode_collection.py --repeats {options.repeats} --pictures {options.pictures}"
    shown = {"experiment": "encode-collection", **provenance(command, SEED), "columns": COLUMNS, "rows": rows}
    write_text(options.output, json.dumps(shown, indent=1) + "\n")


def _refuse_differing(codes: list[str]) -> None:
    if len(set(codes)) != 1:
        raise SystemExit("expected the same codes of every run over a collection; they differ")


if __name__ == "__main__":
    main()
