"""Examples and queries from what people have: a folder of pictures, by class or plain, or a file of features."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dimco.backbones.preprocessing import Preprocessing
from dimco.datasets.files import load_data
from dimco.datasets.image_folder import SUFFIXES, ImageFolder
from dimco.errors import InputError, MissingFileError
from dimco.model import CodeModel


@dataclass(frozen=True)
class Items:
    """What a model takes, with the class of each item if it is known, and a name for each.

    Attributes
    ----------
    x : ndarray of shape (N, ...)
    labels : ndarray of shape (N,), str, or None
    names : list of str
    """

    x: NDArray[Any]
    labels: NDArray[np.str_] | None
    names: list[str]

    def known_labels(self, source: Path) -> NDArray[np.str_]:
        """The labels, or an `InputError` that says what examples need."""
        if self.labels is None:
            raise InputError(f"expected a sub-folder for each class of examples, or labels; {source} has none")
        return self.labels


def load_items(source: Path, model: CodeModel, labels: str | None = None) -> Items:
    """Pictures of a folder, cut as the model's backbone expects, or the rows of a file of features.

    Parameters
    ----------
    source : Path
        A folder with a sub-folder for each class, a folder of pictures, one picture, or a file of features.
    model : CodeModel
    labels : str, optional
        As `load_data` takes it, for files of features.
    """
    if not source.exists():
        raise MissingFileError(f"no such file or folder: {source}")
    if not source.is_dir() and source.suffix.lower() not in SUFFIXES:
        data = load_data(source, labels)
        known = None if data.y is None else data.y.astype(str)
        return Items(data.x, known, [f"row {row}" for row in range(len(data.x))])
    cut = _cut_of(model)
    if source.is_dir() and any(entry.is_dir() and not entry.name.startswith(".") for entry in source.iterdir()):
        folder = ImageFolder(source, cut)
        x = _stacked([folder[item][0].numpy() for item in range(len(folder))])
        return Items(x, np.array(folder.classes)[folder.labels], [str(f.relative_to(source)) for f in folder.files])
    files = [source] if not source.is_dir() else sorted(f for f in source.iterdir() if _is_picture(f))
    if not files:
        raise InputError(f"expected pictures ({', '.join(SUFFIXES)}) or sub-folders of them in {source}; got none")
    return Items(_stacked([_pixels(file, cut) for file in files]), None, [file.name for file in files])


def _is_picture(file: Path) -> bool:
    return file.suffix.lower() in SUFFIXES and not file.name.startswith(".")


def _cut_of(model: CodeModel) -> Callable[[Any], Any]:
    """How the backbone wants its pictures cut."""
    found = getattr(getattr(model.backbone, "pixels", None), "preprocessing", None)
    found = found or getattr(model.backbone, "preprocessing", None)
    if not isinstance(found, Preprocessing):
        kind = type(model.backbone).__name__
        raise InputError(f"expected features for this model: its backbone, {kind}, says nothing of pictures")
    return found.cut


def _pixels(file: Path, cut: Callable[[Any], Any]) -> NDArray[np.uint8]:
    """Bytes of shape (3, height, width)."""
    with ImageFolder.decode(file) as image:
        return np.ascontiguousarray(np.array(cut(image)).transpose(2, 0, 1))


def _stacked(pictures: list[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """Pictures of one size, which is that of the cut."""
    return np.stack(pictures)
