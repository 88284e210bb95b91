"""dimco info: what a file holds."""

from __future__ import annotations

import json as json_module
from pathlib import Path
from typing import Annotated, Any

import typer

from dimco.cli import options
from dimco.cli.output import show
from dimco.cluster.encoding import parts
from dimco.cluster.manifest import KIND as SHARDS
from dimco.cluster.manifest import read_manifest
from dimco.datasets import load_data
from dimco.embedding_file import KIND as EMBEDDINGS
from dimco.errors import DamagedFileError, ForeignFileError, MissingFileError
from dimco.search.index_file.describe import describe
from dimco.search.index_file.reader import is_index
from dimco.spec import CodeSpec
from dimco.tensor_file import read_record

_DATA_FILES = (".npz", ".npy", ".parquet", ".csv")


def info(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A model, codes, index, shards, checkpoint, results or data.")
    ],
    seed: options.Seed = 0,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Say what a file holds: any file dimco writes, and any data it reads.

    Of an index, index bytes are what is searched, and packed bytes what the same codes take in a codes file.

    Example: dimco info model.safetensors
    """
    if not file.exists():
        raise MissingFileError(f"no such file: {file}")
    if file.is_dir():
        found = _parts(file) if parts.holds_parts(file) else _shards(file)
    elif file.suffix == ".json":
        found = _json(file)
    elif file.suffix in _DATA_FILES:
        found = _data(file)
    elif is_index(file):
        found = describe(file)
    else:
        kind, record = read_record(file)
        found = {"kind": kind, **_DESCRIBE[kind](record)} if kind in _DESCRIBE else {"kind": kind}
    size = found.pop("bytes_in_all") if file.is_dir() else file.stat().st_size
    show({"file": str(file), "file_bytes": size, **found}, json)


def _shards(folder: Path) -> dict[str, Any]:
    manifest = read_manifest(folder)
    return {
        "kind": SHARDS,
        "code": str(manifest.spec),
        "bits": manifest.spec.bits,
        "items": manifest.items,
        "labels": manifest.label_kind,
        "bytes_in_all": sum(shard.bytes for shard in manifest.shards),
        "shards": len(manifest.shards),
        "shard_bytes": [shard.bytes for shard in manifest.shards],
        "shard_items": [shard.items for shard in manifest.shards],
    }


def _parts(folder: Path) -> dict[str, Any]:
    manifest = parts.read_manifest(folder)
    there = parts.finished_parts(folder, manifest["parts"])
    spec = CodeSpec.parse(manifest["code"])
    return {
        "kind": parts.KIND,
        "code": str(spec),
        "bits": spec.bits,
        "bytes_in_all": sum(parts.part_file(folder, part).stat().st_size for part in there),
        "items": manifest["items"],
        "parts": manifest["parts"],
        "parts_written": len(there),
        "model_sha256": manifest["model"],
    }


def _model(record: dict[str, Any]) -> dict[str, Any]:
    metadata = record["metadata"]
    return {
        **_code(record),
        "backbone": record["backbone"]["name"] or record["backbone"]["class"],
        "features": record["backbone"]["config"].get("features"),
        "head": record["head"]["name"],
        "classes": metadata.get("classes"),
        "trained_on": metadata.get("data"),
        "items": metadata.get("items"),
        "epochs": metadata.get("epochs"),
        "information_bits": metadata.get("information_bits"),
        "settings": metadata.get("settings"),
    }


def _codes(record: dict[str, Any]) -> dict[str, Any]:
    spec = CodeSpec(record["k"], record["d"])
    return {
        **_code(record),
        "items": record["length"],
        "bytes": (record["length"] * spec.bits + 7) // 8,
        "classes": record.get("classes"),
        "source": record["source"],
    }


def _checkpoint(record: dict[str, Any]) -> dict[str, Any]:
    run = record["run"]
    return {
        "code": run["code"],
        "objective": run["objective"][0],
        "epochs_done": len(record["history"]),
        "epochs": run["epochs"],
        "best_epoch": record["best_epoch"],
        "items": run["items"],
        "seed": run["seed"],
    }


def _code(record: dict[str, Any]) -> dict[str, Any]:
    spec = CodeSpec(record["k"], record["d"])
    return {"code": str(spec), "bits": spec.bits, "capacity": spec.capacity if spec.bits <= 64 else None}


def _json(file: Path) -> dict[str, Any]:
    try:
        content = json_module.loads(file.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise DamagedFileError(f"{file} is damaged: {error}") from error
    if isinstance(content, dict) and content.get("kind") == EMBEDDINGS:
        return content
    if not isinstance(content, dict) or not isinstance(content.get("rows"), list):
        raise ForeignFileError(f"expected results with a list of rows, or embeddings; {file} is other JSON")
    facts = {name: value for name, value in content.items() if name != "rows"}
    return {"kind": "results", "rows": len(content["rows"]), **facts}


def _data(file: Path) -> dict[str, Any]:
    data = load_data(file)
    labels = None if data.y is None else len(set(data.y.tolist()))
    return {
        "kind": "data",
        "items": len(data.x),
        "features": data.x.shape[1],
        "type": str(data.x.dtype),
        "classes": labels,
    }


_DESCRIBE = {"model": _model, "codes": _codes, "checkpoint": _checkpoint}
