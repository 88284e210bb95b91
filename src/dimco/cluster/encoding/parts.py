"""A folder of codes in parquet: a manifest, and a file for each part, written whole or not at all."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from dimco._version import __version__
from dimco.atomic import atomic_path, write_text
from dimco.codes_table import CODE, ID, codes_schema, codes_table
from dimco.errors import ClusterError, DamagedFileError, DimcoError, FileError, ForeignFileError, InputError
from dimco.extras import require
from dimco.search.index_file.lock import locked
from dimco.spec import CodeSpec

KIND = "codes in parts"
FORMAT_VERSION = 1
MANIFEST = "manifest.json"
MOST_ATTEMPTS = 4
_PART = "part-{:08d}.parquet"


def write_part(folder: Path, part: int, spec: CodeSpec, kept: Any, symbols: NDArray[Any]) -> None:
    """Write the file of a part: the columns kept, and the codes."""
    arrow, parquet = require("pyarrow"), require("pyarrow.parquet")
    columns = dict(zip(kept.column_names, kept.columns, strict=True))
    schema = codes_schema(spec, {name: kept.schema.field(name).type for name in columns})
    with atomic_path(folder / _PART.format(part)) as temporary:
        try:
            parquet.write_table(
                codes_table(schema, columns, symbols), temporary, write_page_checksum=True, **_encodings(kept.schema)
            )
        except arrow.ArrowException as error:
            raise FileError(f"cannot write {folder / _PART.format(part)}: {error}") from error


def _encodings(schema: Any) -> dict[str, Any]:
    """Whole numbers as ids are stored by their differences, all else by dictionaries, which pack symbols to bits."""
    whole = require("pyarrow").types.is_integer(schema.field(ID).type)
    others = [name for name in schema.names if name != ID]
    by_dictionary = [*others, f"{CODE}.list.element"] if whole else True
    return {"use_dictionary": by_dictionary, "column_encoding": {ID: "DELTA_BINARY_PACKED"} if whole else None}


def part_file(folder: Path, part: int) -> Path:
    """Where a part is, or will be."""
    return folder / _PART.format(part)


@contextlib.contextmanager
def counted_attempt(folder: Path, part: int) -> Iterator[None]:
    """Count attempts at a part whose process died; `ClusterError` once there were too many."""
    marks = folder / f".part-{part:08d}.attempts"
    try:
        with marks.open("ab") as file:
            file.write(b".")
            attempts = file.tell()
    except OSError as error:
        raise FileError(f"cannot write {folder}: {error.strerror or error}") from error
    if attempts > MOST_ATTEMPTS:
        raise ClusterError(
            f"workers died {MOST_ATTEMPTS} times at part {part}: they may lack memory; the same command goes on"
        )
    try:
        yield
    except DimcoError:
        marks.unlink(missing_ok=True)
        raise
    marks.unlink(missing_ok=True)


def finished_parts(folder: Path, parts: int) -> set[int]:
    """The parts whose files are there."""
    names = {entry.name for entry in folder.iterdir()}
    return {part for part in range(parts) if _PART.format(part) in names}


@contextlib.contextmanager
def opened_folder(folder: Path, record: Mapping[str, Any]) -> Iterator[None]:
    """Hold a folder of codes for the one run that writes it; it is new, empty, or of the same work, interrupted.

    Parameters
    ----------
    folder : Path
    record : mapping
        What the manifest says, as JSON; a folder whose manifest says something else is left alone.
    """
    check_folder(folder, record)
    manifest = folder / MANIFEST
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot write {folder}: {error.strerror}") from error
    if not manifest.exists():
        write_text(manifest, json.dumps(_header(record), indent=1) + "\n")
    with locked(str(manifest), os.O_RDONLY):
        for left in folder.glob(".part-*"):
            left.unlink(missing_ok=True)
        yield


def check_folder(folder: Path, record: Mapping[str, Any]) -> None:
    """Raise unless work with this record can begin or go on in a folder; nothing is written."""
    if folder.is_file():
        raise InputError(f"expected a folder to write the codes to; {folder} is a file")
    if not folder.is_dir():
        if not folder.parent.is_dir():
            raise FileError(f"cannot write {folder}: no folder {folder.parent}")
        return
    if not (folder / MANIFEST).exists():
        if any(not entry.name.startswith(f".{MANIFEST}") for entry in folder.iterdir()):
            raise InputError(f"expected a new or empty folder, or one of codes in parts; {folder} holds other files")
        return
    difference = _difference(read_manifest(folder), json.loads(json.dumps(_header(record))))
    if difference is not None:
        name, held, wanted = difference
        expected = f"expected {name} {_short(held)}, as in the work begun in {folder}"
        raise InputError(f"{expected}; got {_short(wanted)}: name another folder")


def holds_parts(folder: Path) -> bool:
    """Whether a folder has the manifest of codes in parts."""
    try:
        read_manifest(folder)
    except ForeignFileError:
        return False
    return True


def read_manifest(folder: Path) -> dict[str, Any]:
    """What the manifest of a folder of codes says."""
    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ForeignFileError(f"expected a folder of codes in parts; {folder} has no {MANIFEST}") from error
    except (ValueError, OSError) as error:
        raise DamagedFileError(f"{path} is damaged: {error}") from error
    if not isinstance(manifest, dict) or manifest.get("kind") != KIND:
        raise ForeignFileError(f"expected a folder of codes in parts; {path} is of something else")
    if manifest.get("format") != FORMAT_VERSION:
        raise ForeignFileError(
            f"expected format {FORMAT_VERSION} of codes in parts; {path} has {manifest.get('format')}, written by "
            f"dimco {manifest.get('dimco')}"
        )
    return manifest


def _header(record: Mapping[str, Any]) -> dict[str, Any]:
    return {"kind": KIND, "format": FORMAT_VERSION, "dimco": __version__, **record}


def _difference(held: Any, wanted: Any, name: str = "") -> tuple[str, Any, Any] | None:
    """The first place where two records differ, and what stands there in each."""
    if isinstance(held, dict) and isinstance(wanted, dict):
        pairs = [(key, held.get(key), wanted.get(key)) for key in [*wanted, *held]]
    elif isinstance(held, list) and isinstance(wanted, list) and len(held) == len(wanted):
        pairs = [(f"{place}", *pair) for place, pair in enumerate(zip(held, wanted, strict=True))]
    else:
        return None if held == wanted else (name, held, wanted)
    found = (_difference(a, b, f"{name} {key}".strip()) for key, a, b in pairs)
    return next((difference for difference in found if difference is not None), None)


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
