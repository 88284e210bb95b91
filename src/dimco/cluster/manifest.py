"""The manifest of a collection in shards: which files hold it, how many items each, and under which commit."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from dimco._version import __version__
from dimco.atomic import write_text
from dimco.errors import DamagedFileError, FileError, ForeignFileError, MissingFileError
from dimco.search.labels import LabelKind
from dimco.spec import CodeSpec

NAME = "manifest.json"
KIND = "shards"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class ShardFile:
    """One shard.

    Attributes
    ----------
    path : str
        Its index file.
    items, bytes : int
        How many items it holds, and the size of the file.
    first, last : int
        The smallest and the largest id.
    commit : str
        The random name of the file's commit: two files of one commit have the same contents.
    checksum : int
        CRC-32 of the file's directory, which holds the checksums of everything else.
    """

    path: str
    items: int
    bytes: int
    first: int
    last: int
    commit: str
    checksum: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """A collection in shards, in the order of their ids, which do not overlap."""

    spec: CodeSpec
    label_kind: LabelKind | None
    shards: tuple[ShardFile, ...]

    @property
    def items(self) -> int:
        """Items in all shards."""
        return sum(shard.items for shard in self.shards)


def write_manifest(folder: str | Path, manifest: Manifest) -> None:
    """Write the manifest of shards that lie in a folder, atomically."""
    shards = [{**asdict(shard), "path": Path(shard.path).name} for shard in manifest.shards]
    record = {
        "kind": KIND,
        "format": FORMAT,
        "dimco": __version__,
        "k": manifest.spec.k,
        "d": manifest.spec.d,
        "items": manifest.items,
        "labels": manifest.label_kind,
        "shards": shards,
    }
    write_text(Path(folder) / NAME, json.dumps({**record, "checksum": _checksum(record)}, indent=1) + "\n")


def read_manifest(folder: str | Path) -> Manifest:
    """The manifest of a folder that `dimco index split` wrote; the files are named with the folder, not opened."""
    folder = Path(folder)
    path = folder / NAME
    if not folder.exists():
        raise MissingFileError(f"no such folder of shards: {folder}")
    if not path.is_file():
        what = "has no manifest" if folder.is_dir() else "is a file"
        raise ForeignFileError(f"expected a folder of shards, as `dimco index split` writes; {folder} {what}")
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["kind"] != KIND:
            raise ForeignFileError(f"expected a manifest of shards; {path} is of {record['kind']}")
        if record["format"] != FORMAT:
            raise ForeignFileError(f"expected manifest format {FORMAT}; {path} has {record['format']}")
        if record.pop("checksum") != _checksum(record):
            raise DamagedFileError(f"{path} is damaged: it does not match its checksum")
        return _decoded(record, folder)
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DamagedFileError(f"{path} is damaged: it is not the JSON of a manifest") from error


def _decoded(record: Mapping[str, Any], folder: Path) -> Manifest:
    shards = tuple(ShardFile(**{**entry, "path": str(folder / entry["path"])}) for entry in record["shards"])
    manifest = Manifest(CodeSpec(record["k"], record["d"]), record["labels"], shards)
    if not shards or manifest.items != record["items"]:
        raise ValueError(f"{manifest.items} items in its shards, {record['items']} in all")
    return manifest


def _checksum(record: Mapping[str, Any]) -> int:
    return zlib.crc32(json.dumps(record, sort_keys=True, separators=(",", ":")).encode())
