"""The header of an index file: two slots that say the same, so that one is whole while the other is written."""

from __future__ import annotations

import json
import struct
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from dimco._version import __version__
from dimco.errors import DamagedFileError, DimcoError, ForeignFileError
from dimco.spec import CodeSpec

MAGIC = b"DIMCOIDX"
VERSION = 1
SLOT = 4096
SLOTS = 2 * SLOT
_START, _SUM = struct.Struct("<8sII"), struct.Struct("<I")
_INTEGERS = ("generation", "end", "directory_offset", "directory_length", "directory_checksum", "items", "removed")


@dataclass(frozen=True, slots=True)
class Header:
    """What a slot holds.

    Attributes
    ----------
    spec : CodeSpec
    file, commit : str
        Random names: of the file, kept while it is appended to, and of this commit.
    generation : int
        1 for a new file, one more with each commit.
    end : int
        Where the committed part of the file ends.
    directory_offset, directory_length, directory_checksum : int
        Where the directory is, and its CRC-32.
    items, removed : int
        Items that are there, and rows of items that no longer are.
    """

    spec: CodeSpec
    file: str
    commit: str
    generation: int
    end: int
    directory_offset: int
    directory_length: int
    directory_checksum: int
    items: int
    removed: int


def encode_slot(header: Header) -> bytes:
    """The 4,096 bytes of a slot: magic, version, JSON length, JSON, zeros, and the CRC-32 of all before it."""
    facts = {name: value for name, value in asdict(header).items() if name != "spec"}
    record = json.dumps({"k": header.spec.k, "d": header.spec.d, **facts, "dimco": __version__}).encode()
    start = (_START.pack(MAGIC, VERSION, len(record)) + record).ljust(SLOT - _SUM.size, b"\0")
    return start + _SUM.pack(zlib.crc32(start))


def current(slots: bytes, size: int, path: str | Path) -> Header:
    """The header in force, given the first 8,192 bytes and the size of a file.

    A file that ends where its header says was left by a finished commit: both slots must be whole and equal. A longer
    one was left by an interrupted commit: one slot may be torn or a generation behind, and the newer whole one counts.
    """
    _refuse_foreign(slots, size, path)
    found = [_decode(slots[:SLOT], path), _decode(slots[SLOT:SLOTS], path)]
    whole = [header for header in found if header is not None]
    if not whole:
        raise DamagedFileError(f"{path} is damaged: its header does not match its checksum")
    newest = max(whole, key=lambda header: header.generation)
    oldest = min(whole, key=lambda header: header.generation)
    if size < newest.end:
        raise DamagedFileError(f"{path} is damaged: expected {newest.end} bytes; it has {size}")
    torn = len(whole) == 1
    behind = newest.file == oldest.file and newest.generation == oldest.generation + 1
    if (torn or whole[0] != whole[1]) and (size == newest.end or not (torn or behind)):
        raise DamagedFileError(f"{path} is damaged: the two copies of its header differ")
    return newest


def write_order(slots: bytes, header: Header, path: str | Path) -> tuple[int, int]:
    """Where the two slots are, in the order of writing them: one that holds the header in force comes last.

    Slots are compared by what they say, for another version of dimco may have written them.
    """
    return (SLOT, 0) if _decode(slots[:SLOT], path) == header else (0, SLOT)


def _refuse_foreign(slots: bytes, size: int, path: str | Path) -> None:
    starts = (slots[: len(MAGIC)], slots[SLOT : SLOT + len(MAGIC)])
    if MAGIC not in starts and (size >= SLOTS or not MAGIC.startswith(starts[0])):
        raise ForeignFileError(f"{path} is not a dimco index file")
    if size < SLOTS:
        raise DamagedFileError(f"{path} is damaged: only {size} bytes")


def _decode(slot: bytes, path: str | Path) -> Header | None:
    """What a slot holds; None if it is torn or altered."""
    magic, version, length = _START.unpack_from(slot)
    if magic != MAGIC or _SUM.unpack_from(slot, SLOT - _SUM.size)[0] != zlib.crc32(slot[: -_SUM.size]):
        return None
    if version != VERSION:
        raise ForeignFileError(f"expected index file format {VERSION}; {path} has {version}")
    if length > SLOT - _START.size - _SUM.size:
        return None
    try:
        return _header(json.loads(slot[_START.size : _START.size + length]))
    except (ValueError, KeyError, TypeError, RecursionError, DimcoError):
        return None


def _header(record: dict[str, Any]) -> Header:
    numbers = {name: record[name] for name in _INTEGERS}
    if any(type(value) is not int or not 0 <= value < 1 << 63 for value in numbers.values()):
        raise ValueError("expected whole numbers")
    if not isinstance(record["file"], str) or not isinstance(record["commit"], str):
        raise TypeError("expected names as text")
    return Header(CodeSpec(record["k"], record["d"]), record["file"], record["commit"], **numbers)
