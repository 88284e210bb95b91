"""dimco check: whether a file is whole."""

from __future__ import annotations

import json as json_module
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from dimco.cli import options
from dimco.cli.output import show
from dimco.cluster.encoding.parts import KIND as PARTS
from dimco.cluster.encoding.parts import holds_parts
from dimco.cluster.encoding.stored import check_parts, part_files
from dimco.cluster.manifest import KIND as SHARDS
from dimco.cluster.manifest import read_manifest
from dimco.cluster.shard_files import check_shards
from dimco.codes_file import KIND as CODES
from dimco.codes_file import read_codes
from dimco.datasets import load_data
from dimco.embedding_file import KIND as EMBEDDINGS
from dimco.errors import DamagedFileError, ForeignFileError, MissingFileError
from dimco.model import KIND as MODEL
from dimco.model import CodeModel
from dimco.search.index import CodeIndex
from dimco.search.index_file.reader import is_index
from dimco.tensor_file import read_record, read_tensors

_FEATURES = (".npy", ".npz")


def check(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="An index, model, checkpoint, codes, embeddings or folder of shards.")
    ],
    seed: options.Seed = 0,
    json: options.Json = False,
    quiet: options.Quiet = False,
) -> None:
    """Read a file that dimco wrote from end to end, and compare it with its checksums.

    Embeddings have none: their shape, type and numbers are checked. Exit code 1 says that the file is damaged.

    Example: dimco check codes.index
    """
    start = time.perf_counter()
    if not file.exists():
        raise MissingFileError(f"no such file: {file}")
    kind = _checked(file)
    if kind == PARTS:
        parts = part_files(file)
    else:
        parts = [Path(shard.path) for shard in read_manifest(file).shards] if file.is_dir() else [file]
    show(
        {
            "file": str(file),
            "kind": kind,
            "file_bytes": sum(part.stat().st_size for part in parts),
            "whole": True,
            "seconds": time.perf_counter() - start,
        },
        json,
    )


def _checked(file: Path) -> str:
    """The kind of the file, once all of it is read."""
    if file.is_dir() and holds_parts(file):
        check_parts(file)
        return PARTS
    if file.is_dir():
        check_shards(file)
        return SHARDS
    if is_index(file):
        CodeIndex.check(file)
        return "index"
    if file.suffix in (".json", *_FEATURES):
        _check_embeddings(file)
        return EMBEDDINGS
    kind, _ = read_record(file)
    readers: dict[str, Any] = {CODES: read_codes, MODEL: _check_model}
    readers.get(kind, lambda path: read_tensors(path, kind))(file)
    return kind


def _check_model(file: Path) -> None:
    """Its checksum, and that its parameters fit its network where dimco knows the network."""
    _, record = read_tensors(file, MODEL)
    if record.get("backbone", {}).get("name") is not None:
        CodeModel.load(file)


def _check_embeddings(file: Path) -> None:
    """The rows, their labels, and the facts beside a .npy."""
    rows, facts_file = (file.with_suffix(".npy"), file.with_suffix(".json")) if file.suffix != ".npz" else (file, None)
    if facts_file is None or not facts_file.exists():
        load_data(rows)
        return
    try:
        facts = json_module.loads(facts_file.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise DamagedFileError(f"{facts_file} is damaged: {error}") from error
    if not isinstance(facts, dict) or facts.get("kind") != EMBEDDINGS:
        raise ForeignFileError(f"expected embeddings that dimco wrote; {facts_file} is other JSON")
    data = load_data(rows)
    found = {"items": len(data.x), "features": data.x.shape[1], "dtype": str(data.x.dtype)}
    for name, value in found.items():
        if facts.get(name) != value:
            raise DamagedFileError(f"{rows} is damaged: {facts_file.name} says {name} {facts.get(name)}; got {value}")
