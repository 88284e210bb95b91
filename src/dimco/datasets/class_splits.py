"""Which classes are for training, validation and testing, from the files that state it."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dimco.errors import DamagedFileError, InputError, MissingFileError

PARTS = ("train", "val", "test")


@dataclass(frozen=True)
class ClassSplit:
    """The classes of each part, in the order of the file.

    Attributes
    ----------
    classes : dict of str to tuple of str
        By part: "train", "val", "test".
    files : dict of str to tuple of str, or None
        Names of the image files of each class, where the split states them.
    """

    classes: dict[str, tuple[str, ...]]
    files: dict[str, tuple[str, ...]] | None = None

    def __post_init__(self) -> None:
        seen: dict[str, str] = {}
        for part, classes in self.classes.items():
            if not classes:
                raise InputError(f"expected classes in each part of a split; {part} has none")
            for name in classes:
                if name in seen:
                    raise InputError(f"expected each class in one part; {name} is in {seen[name]} and in {part}")
                seen[name] = part

    @property
    def all_classes(self) -> list[str]:
        return [name for part in PARTS for name in self.classes[part]]


def csv_split(files: dict[str, Path]) -> ClassSplit:
    """A split as a CSV a part, with the columns `filename` and `label`."""
    classes: dict[str, tuple[str, ...]] = {}
    names: dict[str, list[str]] = {}
    for part, file in files.items():
        rows = _csv_rows(file)
        classes[part] = tuple(dict.fromkeys(label for _, label in rows))
        for name, label in rows:
            names.setdefault(label, []).append(name)
    return ClassSplit(classes, {label: tuple(of_it) for label, of_it in names.items()})


def json_split(file: Path) -> ClassSplit:
    """A split as one JSON file: `{"train": [...], "val": [...], "test": [...]}`."""
    content = _json(file)
    if not isinstance(content, dict) or not set(PARTS) <= set(content):
        raise InputError(f'expected {{"train": [...], "val": [...], "test": [...]}} in {file}; got something else')
    return ClassSplit({part: _names(file, content[part]) for part in PARTS})


def json_parts_split(files: dict[str, Path]) -> ClassSplit:
    """A split as a JSON file a part: a list of names, or of pairs of superclass and class."""
    return ClassSplit({part: _names(file, _json(file)) for part, file in files.items()})


def part_files(folder: Path, stem: str, suffix: str) -> dict[str, Path]:
    """The three files of a split, such as `miniimagenet_train.csv`."""
    files = {part: folder / f"{stem}_{part}{suffix}" for part in PARTS}
    for file in files.values():
        if not file.exists():
            raise MissingFileError(f"no such split file: {file}")
    return files


def _csv_rows(file: Path) -> list[tuple[str, str]]:
    try:
        with file.open(newline="", encoding="utf-8") as lines:
            rows = list(csv.DictReader(lines))
        return [(row["filename"], row["label"]) for row in rows]
    except (KeyError, csv.Error, UnicodeDecodeError) as error:
        raise DamagedFileError(f"expected columns filename and label in {file}; got {error}") from error


def _json(file: Path) -> Any:
    if not file.exists():
        raise MissingFileError(f"no such split file: {file}")
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise DamagedFileError(f"{file} is no JSON: {error}") from error


def _names(file: Path, entries: Any) -> tuple[str, ...]:
    names = [entry[-1] if isinstance(entry, list) and entry else entry for entry in _list(file, entries)]
    if not all(isinstance(name, str) for name in names):
        raise InputError(f"expected names of classes in {file}; got {names[:3]}")
    return tuple(names)


def _list(file: Path, entries: Any) -> list[Any]:
    if not isinstance(entries, list):
        raise InputError(f"expected a list of classes in {file}; got {type(entries).__name__}")
    return entries
