"""Codes in parquet read back whole, with their ids and labels: a folder of parts, or one file."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dimco.cluster.encoding.parts import finished_parts, part_file, read_manifest
from dimco.codes_table import CODE, ID, LABEL, table_spec, table_symbols
from dimco.errors import DamagedFileError, FileError, InputError, MissingFileError
from dimco.extras import require
from dimco.spec import CodeSpec


class ParquetCodes(NamedTuple):
    """Codes with their ids, and labels if there are any."""

    spec: CodeSpec
    ids: NDArray[np.int64]
    symbols: NDArray[np.unsignedinteger]
    labels: NDArray[Any] | None


def read_parquet_codes(path: Path) -> ParquetCodes:
    """The codes of a folder that `encode_collection` wrote, once all its parts are there, or of one parquet file."""
    parts = [_read(file) for file in (part_files(path) if path.is_dir() else [path])]
    if len({(part.spec, part.labels is None) for part in parts}) != 1:
        raise DamagedFileError(f"{path} is damaged: its parts are not of one kind")
    labels = [part.labels for part in parts if part.labels is not None]
    return ParquetCodes(
        parts[0].spec,
        np.concatenate([part.ids for part in parts]),
        np.concatenate([part.symbols for part in parts]),
        np.concatenate(labels) if labels else None,
    )


def check_parts(folder: Path) -> None:
    """Read every part from end to end, with the checksums of its pages."""
    for file in part_files(folder):
        _read(file)


def part_files(folder: Path) -> list[Path]:
    """The files of all parts; `FileError` if some are not there yet."""
    expected = read_manifest(folder)["parts"]
    there = finished_parts(folder, expected)
    if len(there) != expected:
        raise FileError(
            f"expected {expected} parts in {folder}; {len(there)} are there: finish them with the same dimco encode"
        )
    return [part_file(folder, part) for part in range(expected)]


def _read(file: Path) -> ParquetCodes:
    arrow, parquet = require("pyarrow"), require("pyarrow.parquet")
    if not file.exists():
        raise MissingFileError(f"no such file: {file}")
    try:
        schema = parquet.read_schema(file)
        spec = table_spec(schema, file)
        columns = [name for name in (ID, LABEL, CODE) if name in schema.names]
        table = parquet.read_table(file, columns=columns, page_checksum_verification=True)
    except (arrow.ArrowException, OSError) as error:
        raise DamagedFileError(f"{file} cannot be read as parquet: {str(error).splitlines()[0]}") from error
    if not arrow.types.is_integer(schema.field(ID).type):
        raise InputError(f"expected integers as ids in {file}; got {schema.field(ID).type}")
    labels = None
    if LABEL in schema.names:
        text = not arrow.types.is_integer(schema.field(LABEL).type)
        labels = table.column(LABEL).to_numpy().astype(np.str_ if text else np.int64)
    return ParquetCodes(spec, table.column(ID).to_numpy(), table_symbols(table, spec), labels)
