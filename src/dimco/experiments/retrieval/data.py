"""The classes of a data set for retrieval: those to train on, and those to test on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dimco.datasets.class_images import read_class_list
from dimco.datasets.files import load_data
from dimco.errors import DamagedFileError, InputError, MissingFileError
from dimco.inputs import encode_labels

HELD_OUT = 0.2


@dataclass(frozen=True)
class RetrievalSet:
    """Items of all classes; labels are class indices in the official order.

    Attributes
    ----------
    name : str
    x : ndarray of shape (N, 3, side, side), uint8, or (N, features)
    labels : ndarray of shape (N,), int64
    training_classes : int
        Those below are for training.
    """

    name: str
    x: NDArray[Any]
    labels: NDArray[np.int64]
    training_classes: int

    @property
    def images(self) -> bool:
        return self.x.ndim == 4

    def split(self, stage: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Rows to learn from and rows to measure on: test classes, or for "select" the last fifth of training."""
        held_out = max(2, round(HELD_OUT * self.training_classes))
        cut, end = self.training_classes, int(self.labels.max()) + 1
        if stage == "select":
            cut, end = self.training_classes - held_out, self.training_classes
        learned = np.flatnonzero(self.labels < cut)
        measured = np.flatnonzero((self.labels >= cut) & (self.labels < end))
        if not len(learned) or not len(measured):
            raise InputError(f"expected classes to learn from and others to measure on; {self.name} has {end} classes")
        return learned, measured


def load_arrays(folder: Path, name: str) -> RetrievalSet:
    """`NAME.npy`, `NAME.labels.npy` and `NAME.classes.json` of a folder.

    The classes are a list, of which the first half trains, or `{"train": [...], "test": [...]}`.
    """
    files = [folder / f"{name}{end}" for end in (".npy", ".labels.npy", ".classes.json")]
    for file in files:
        if not file.exists():
            raise MissingFileError(f"no such file: {file}")
    try:
        pixels = np.load(files[0], mmap_mode="r", allow_pickle=False)
        labels = np.load(files[1], allow_pickle=False).astype(np.int64)
    except (ValueError, EOFError) as error:
        raise DamagedFileError(f"{files[0]} or its labels cannot be read: {error}") from error
    classes, training = read_class_list(files[2])
    if len(labels) != len(pixels):
        raise InputError(f"expected {len(pixels)} labels in {files[1]}; got {len(labels)}")
    return RetrievalSet(name, pixels, labels, len(classes) // 2 if training is None else training)


def load_features(file: Path, name: str) -> RetrievalSet:
    """Features with labels, as `dimco embed` writes them; of the classes in their order the first half trains."""
    data = load_data(file)
    classes, labels = encode_labels(data.labels(), len(data.x))
    return RetrievalSet(name, np.asarray(data.x, np.float32), labels, len(classes) // 2)
