"""CIFAR-10 and CIFAR-100 from their official binary archives, packed or unpacked.

A record of CIFAR-10 is a label and 3,072 bytes, the red, green and blue plane of 32 x 32; one of CIFAR-100 has two
labels, of the superclass and of the class (https://www.cs.toronto.edu/~kriz/cifar.html). The archives for Python hold
pickles and are refused.
"""

from __future__ import annotations

import tarfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from dimco.datasets.image_set import ImageSet
from dimco.errors import DamagedFileError, ForeignFileError, InputError, MissingFileError

Part = Literal["train", "test", "all"]

_SIDE = 32
_PIXELS = 3 * _SIDE * _SIDE
_PICKLES = ("data_batch_1", "batches.meta", "train", "meta")


@dataclass(frozen=True)
class _Kind:
    """One of the two archives."""

    archive: str
    train: tuple[str, ...]
    test: tuple[str, ...]
    names: str
    labels: int
    classes: int


_KINDS = (
    _Kind(
        "cifar-10-binary.tar.gz",
        tuple(f"data_batch_{number}.bin" for number in range(1, 6)),
        ("test_batch.bin",),
        "batches.meta.txt",
        labels=1,
        classes=10,
    ),
    _Kind("cifar-100-binary.tar.gz", ("train.bin",), ("test.bin",), "fine_label_names.txt", labels=2, classes=100),
)


def load_cifar(path: str | Path, part: Part = "all") -> ImageSet:
    """The images of an official binary archive, in its order; "all" is the training set and then the test set.

    Parameters
    ----------
    path : str or Path
        `cifar-10-binary.tar.gz`, `cifar-100-binary.tar.gz`, or the folder with their files.
    part : {"train", "test", "all"}, default="all"
    """
    if part not in ("train", "test", "all"):
        raise InputError(f'expected "train", "test" or "all"; got {part!r}')
    place = Path(path)
    if not place.exists():
        raise MissingFileError(f"no such file or folder: {place}")
    names, read = _folder(place) if place.is_dir() else _archive(place)
    kind = next((kind for kind in _KINDS if kind.names in names and kind.test[0] in names), None)
    if kind is None:
        raise ForeignFileError(_refusal(place, names))
    files = {"train": kind.train, "test": kind.test, "all": kind.train + kind.test}[part]
    for name in files:
        if name not in names:
            raise MissingFileError(f"expected {name} in {place}; it is not there")
    classes = tuple(line for line in read(kind.names).decode("utf-8", "replace").split() if line)
    if len(classes) != kind.classes:
        raise DamagedFileError(f"{place} is damaged: expected {kind.classes} names in {kind.names}; got {len(classes)}")
    records = [_records(place, name, read(name), kind) for name in files]
    rows = np.concatenate(records)
    labels = rows[:, kind.labels - 1].astype(np.int64)
    if labels.max() >= kind.classes:
        raise DamagedFileError(f"{place} is damaged: expected labels below {kind.classes}; got {labels.max()}")
    pixels = np.ascontiguousarray(rows[:, kind.labels :]).reshape(-1, 3, _SIDE, _SIDE)
    return ImageSet(pixels, labels, classes)


def is_cifar(path: Path) -> bool:
    """Whether a path looks like an official archive of CIFAR, of any of its forms."""
    if path.is_dir():
        present = {entry.name for entry in path.iterdir() if entry.is_file()}
        return any(kind.names in present for kind in _KINDS) or bool(present & set(_PICKLES))
    return path.name.endswith((".tar.gz", ".tgz", ".tar"))


def _records(place: Path, name: str, data: bytes, kind: _Kind) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
    length = kind.labels + _PIXELS
    if not data or len(data) % length:
        raise DamagedFileError(f"{place} is damaged: expected records of {length:,} bytes in {name}; got {len(data):,}")
    return np.frombuffer(data, np.uint8).reshape(-1, length)


def _folder(place: Path) -> tuple[set[str], Callable[[str], bytes]]:
    return {entry.name for entry in place.iterdir()}, lambda name: (place / name).read_bytes()


def _archive(place: Path) -> tuple[set[str], Callable[[str], bytes]]:
    """The names of an archive's files, without their folder, and a function that reads one."""
    damages = (tarfile.TarError, EOFError, OSError, zlib.error)
    try:
        with tarfile.open(place) as archive:
            members = {Path(member.name).name: member.name for member in archive if member.isfile()}
    except damages as error:
        raise ForeignFileError(f"expected an archive of CIFAR; {place} cannot be read: {error}") from error

    def read(name: str) -> bytes:
        try:
            with tarfile.open(place) as archive:
                file = archive.extractfile(members[name])
                return b"" if file is None else file.read()
        except damages as error:
            raise DamagedFileError(f"{place} is damaged: {error}") from error

    return set(members), read


def _refusal(place: Path, names: set[str]) -> str:
    binary = " or ".join(kind.archive for kind in _KINDS)
    if names & set(_PICKLES):
        return f"expected the binary archive of CIFAR, {binary}; {place} is the one for Python, which holds pickles"
    return f"expected the binary archive of CIFAR, {binary}; {place} holds none of its files"
