"""ImageSet: images of one size as bytes in one array, with their classes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dimco.atomic import atomic_path, write_text
from dimco.datasets.files import labels_beside
from dimco.errors import DamagedFileError, ForeignFileError, InputError, MissingFileError


@dataclass(frozen=True, eq=False)
class ImageSet:
    """Decoded images.

    Parameters
    ----------
    pixels : ndarray of shape (N, 3, height, width), uint8
        May be memory-mapped.
    labels : ndarray of shape (N,), int64
        Class indices from 0.
    classes : tuple of str
        Their names.
    """

    pixels: NDArray[np.uint8]
    labels: NDArray[np.int64]
    classes: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.pixels.ndim != 4 or self.pixels.shape[1] != 3 or self.pixels.dtype != np.uint8:
            found = f"{self.pixels.dtype} of {self.pixels.shape}"
            raise InputError(f"expected pixels of shape (N, 3, height, width), uint8; got {found}")
        if self.labels.shape != (len(self.pixels),) or self.labels.dtype != np.int64:
            found = f"{self.labels.dtype} of {self.labels.shape}"
            raise InputError(f"expected {len(self.pixels)} labels, int64; got {found}")
        if len(self.labels) and not 0 <= self.labels.min() <= self.labels.max() < len(self.classes):
            found = f"{self.labels.min()} to {self.labels.max()}"
            raise InputError(f"expected labels from 0 to {len(self.classes) - 1}; got {found}")

    def __len__(self) -> int:
        return len(self.pixels)

    def of_classes(self, chosen: Sequence[str | int]) -> ImageSet:
        """The images of some classes, by name or index, with labels renumbered in the order given.

        Images of a class stay in their order. Where the chosen images lie side by side the pixels are not copied.
        """
        numbers = [self._number(one) for one in chosen]
        if len(set(numbers)) < len(numbers):
            raise InputError("expected each class once; got one twice")
        of_each = [np.flatnonzero(self.labels == number) for number in numbers]
        rows = np.concatenate([np.empty(0, np.int64), *of_each])
        labels = np.repeat(np.arange(len(numbers), dtype=np.int64), [len(of_one) for of_one in of_each])
        side_by_side = len(rows) > 0 and bool((np.diff(rows) == 1).all())
        pixels = self.pixels[rows[0] : rows[-1] + 1] if side_by_side else self.pixels[rows]
        return ImageSet(pixels, labels, tuple(self.classes[number] for number in numbers))

    def _number(self, chosen: str | int) -> int:
        if isinstance(chosen, str):
            if chosen not in self.classes:
                raise InputError(f"expected one of {len(self.classes)} classes; got {chosen!r}")
            return self.classes.index(chosen)
        if not 0 <= chosen < len(self.classes):
            raise InputError(f"expected a class from 0 to {len(self.classes) - 1}; got {chosen}")
        return int(chosen)

    def save(self, path: str | Path) -> None:
        """Write the pixels to `X.npy`, beside it `X.labels.npy` and `X.classes.json`, each atomically."""
        file = _npy(path)
        with atomic_path(labels_beside(file)) as temporary, temporary.open("wb") as out:
            np.save(out, self.labels)
        write_text(_classes_beside(file), json.dumps(list(self.classes)))
        with atomic_path(file) as temporary, temporary.open("wb") as out:
            np.save(out, self.pixels)

    @classmethod
    def load(cls, path: str | Path) -> ImageSet:
        """Read what `save` wrote; the pixels stay on disk until they are asked for."""
        file = _npy(path)
        beside = labels_beside(file), _classes_beside(file)
        for needed in (file, *beside):
            if not needed.exists():
                raise MissingFileError(f"no such file: {needed}")
        try:
            pixels = np.load(file, mmap_mode="r", allow_pickle=False)
            labels = np.load(beside[0], allow_pickle=False)
            names = json.loads(beside[1].read_text(encoding="utf-8"))
            return cls(pixels, labels, tuple(str(name) for name in names))
        except (ValueError, EOFError, OSError, TypeError) as error:
            raise DamagedFileError(f"{file} is damaged: {str(error).splitlines()[0]}") from error


def _npy(path: str | Path) -> Path:
    file = Path(path)
    if file.suffix != ".npy":
        raise ForeignFileError(f"expected a file of pixels, .npy; got {file.name}")
    return file


def _classes_beside(file: Path) -> Path:
    return file.with_suffix(".classes.json")
