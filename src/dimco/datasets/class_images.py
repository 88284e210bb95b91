"""Image files with classes that are split into those to train on and those to test on, as retrieval takes them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dimco.datasets.decoded import image_files
from dimco.errors import DamagedFileError, InputError, MissingFileError


@dataclass(frozen=True, eq=False)
class ClassImages:
    """Files of images by class, in the order of the classes.

    Attributes
    ----------
    files : list of Path
    labels : ndarray of shape (N,), int64
        Indices of `classes`.
    classes : tuple of str
        Those to train on first.
    training_classes : int
        How many those are.
    """

    files: list[Path]
    labels: NDArray[np.int64]
    classes: tuple[str, ...]
    training_classes: int

    def __post_init__(self) -> None:
        if not 0 < self.training_classes < len(self.classes):
            raise InputError(
                f"expected classes to train on and others to test on; got {self.training_classes} of "
                f"{len(self.classes)} to train on"
            )


def of_classes(
    pairs: Sequence[tuple[Path, str]], classes: Sequence[str], training_classes: int | None = None
) -> ClassImages:
    """Images given with their classes, ordered by class and within a class as they come; the first half trains."""
    names = tuple(classes)
    place = {name: number for number, name in enumerate(names)}
    if len(place) < len(names):
        twice = next(name for number, name in enumerate(names) if place[name] != number)
        raise InputError(f"expected each class once; got {twice!r} twice")
    found = sorted(((place[name], file) for file, name in pairs if name in place), key=lambda pair: pair[0])
    empty = set(range(len(names))) - {number for number, _ in found}
    if empty:
        raise InputError(f"expected images of each of {len(names)} classes; {names[min(empty)]!r} has none")
    labels = np.array([number for number, _ in found], np.int64)
    half = len(names) // 2 if training_classes is None else training_classes
    return ClassImages([file for _, file in found], labels, names, half)


def folder_classes(root: Path, classes: Path | None = None) -> ClassImages:
    """Images of a tree, each in a folder named after its class, at whatever depth: `train/sparrow/1.jpg`.

    Parameters
    ----------
    root : Path
    classes : Path, optional
        Their order: a text file with a class a line, of which the first half trains, or JSON
        `{"train": [...], "test": [...]}`; classes that it lacks are left out. Without it classes stand in the order
        of their names, or, where every file is named by a number, of the smallest number of each, as data sets count
        their images class by class.
    """
    files = image_files(root)
    pairs = [(file, file.parent.name) for file in files if file.parent != root]
    if not pairs:
        raise InputError(f"expected images in folders named after their classes in {root}; got none")
    if classes is None:
        return of_classes(pairs, _ordered(pairs))
    names, training = read_class_list(classes)
    return of_classes(pairs, names, training)


def read_class_list(file: Path) -> tuple[list[str], int | None]:
    """The classes of a list, and how many train where it says so."""
    if not file.exists():
        raise MissingFileError(f"no such file: {file}")
    text = file.read_text(encoding="utf-8")
    if file.suffix.lower() != ".json":
        return [line.strip() for line in text.splitlines() if line.strip()], None
    try:
        content = json.loads(text)
        if isinstance(content, list):
            return [str(name) for name in content], None
        train, test = ([str(name) for name in content[part]] for part in ("train", "test"))
    except (ValueError, KeyError, TypeError) as error:
        raise DamagedFileError(f'expected {{"train": [...], "test": [...]}} or a list in {file}: {error}') from error
    return train + test, len(train)


def _ordered(pairs: Sequence[tuple[Path, str]]) -> list[str]:
    numbered = all(file.stem.isdecimal() for file, _ in pairs)
    first: dict[str, tuple[int, str]] = {}
    for file, name in pairs:
        key = (int(file.stem) if numbered else 0, name)
        first[name] = min(first.get(name, key), key)
    return sorted(first, key=lambda name: first[name])
