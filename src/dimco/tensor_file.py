"""The container of models, checkpoints and codes: named tensors and one JSON record, in a safetensors file.

The record stands in the file's own metadata, so that tensors and record can never come apart; a checksum
of both stands before it, so that an altered byte is an error and never a different model. It is one
metadata entry because safetensors writes several in any order, and equal content is to be equal bytes.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from dimco._version import __version__
from dimco.atomic import atomic_path
from dimco.errors import DamagedFileError, FileError, ForeignFileError, InputError, MissingFileError

FORMAT_VERSION = 1
_KEY = "dimco"
_INDEX_START = b"DIMCOIDX"


def write_tensors(path: str | Path, kind: str, tensors: Mapping[str, Tensor], record: Mapping[str, Any]) -> None:
    """Write tensors and a JSON record as a file of the given kind, atomically."""
    from safetensors import SafetensorError
    from safetensors.torch import save_file

    text = json.dumps(
        {"kind": kind, "format": FORMAT_VERSION, "dimco": __version__, "record": dict(record)}, default=_plain
    )
    with atomic_path(path) as temporary:
        plain = {name: tensor.detach().cpu().contiguous().clone() for name, tensor in tensors.items()}
        try:
            save_file(plain, temporary, metadata={_KEY: f"{_checksum(text, plain)} {text}"})
        except SafetensorError as error:
            raise FileError(f"cannot write {path}: {error}") from error


def read_record(path: str | Path) -> tuple[str, dict[str, Any]]:
    """The kind and the JSON record of a file, without its tensors."""
    header = _header(Path(path))[0]
    return header["kind"], header["record"]


def read_tensors(path: str | Path, kind: str) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """The tensors and the JSON record of a file that must be of the given kind."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    header, text, checksum = _header(Path(path))
    if header["kind"] != kind:
        raise ForeignFileError(f"expected a dimco {kind} file; {path} is a dimco {header['kind']} file")
    try:
        tensors = load_file(path)
    except (SafetensorError, OSError) as error:
        raise DamagedFileError(f"{path} is damaged: {error}") from error
    if checksum != _checksum(text, tensors):
        raise DamagedFileError(f"{path} is damaged: its contents do not match its checksum")
    return tensors, header["record"]


def _plain(value: Any) -> Any:
    """numpy's numbers and arrays as JSON."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise InputError(f"expected a record of plain values; got {type(value).__name__}")


def _checksum(text: str, tensors: Mapping[str, Tensor]) -> str:
    """CRC-32 of the record's text and of every tensor's name, type, shape and bytes."""
    value = zlib.crc32(text.encode())
    for name, tensor in sorted(tensors.items()):
        value = zlib.crc32(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode(), value)
        value = zlib.crc32(tensor.reshape(-1).view(torch.uint8).numpy().data, value)
    return f"{value:08x}"


def _header(path: Path) -> tuple[dict[str, Any], str, str]:
    """The header that `write_tensors` made, the text that it is read from, and the checksum."""
    from safetensors import SafetensorError, safe_open

    _refuse_foreign(path)
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
    except (SafetensorError, OSError) as error:
        raise DamagedFileError(f"{path} is damaged: {error}") from error
    if _KEY not in metadata:
        raise ForeignFileError(f"{path} is a safetensors file, but not one of dimco's")
    checksum, _, text = metadata[_KEY].partition(" ")
    try:
        header = json.loads(text)
        valid = isinstance(header["kind"], str) and isinstance(header["record"], dict)
    except (ValueError, KeyError, TypeError):
        valid = False
    if not valid:
        raise DamagedFileError(f"{path} is damaged: its record cannot be read")
    if header.get("format") != FORMAT_VERSION:
        raise ForeignFileError(
            f"expected file format {FORMAT_VERSION}; {path} has {header.get('format')}, written by dimco "
            f"{header.get('dimco')}"
        )
    return dict(header), text, checksum


def _refuse_foreign(path: Path) -> None:
    """A safetensors file starts with the 8-byte length of a JSON object; anything else is not ours."""
    try:
        with path.open("rb") as file:
            start = file.read(9)
    except FileNotFoundError as error:
        raise MissingFileError(f"no such file: {path}") from error
    except IsADirectoryError as error:
        raise ForeignFileError(f"expected a dimco file; {path} is a folder") from error
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror}") from error
    if start[:8] == _INDEX_START:
        raise ForeignFileError(f"expected another kind of dimco file; {path} is a dimco index")
    if len(start) < 9:
        raise DamagedFileError(f"{path} is damaged: only {len(start)} bytes")
    if start[8:9] != b"{":
        raise ForeignFileError(f"{path} is not a dimco file")


def check_record(path: str | Path, record: Mapping[str, Any], names: tuple[str, ...]) -> None:
    """Raise `DamagedFileError` unless the record holds every name."""
    missing = [name for name in names if name not in record]
    if missing:
        raise DamagedFileError(f"{path} is damaged: its record lacks {', '.join(missing)}")
