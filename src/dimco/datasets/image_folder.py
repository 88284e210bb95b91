"""ImageFolder: pictures on disk, one folder a class."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import Dataset

from dimco.errors import DamagedFileError, ForeignFileError, InputError, MissingFileError
from dimco.extras import require

if TYPE_CHECKING:
    from PIL.Image import Image

SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".webp")


class ImageFolder(Dataset[tuple[Tensor, int]]):
    """Pictures in a folder with a sub-folder for each class, decoded when asked for.

    Classes are in the order of their names, and so are the files of a class. Hidden files and folders, and files
    that are not .png, .jpg, .jpeg, .bmp or .webp, are passed over.

    Parameters
    ----------
    root : str or Path
    cut : callable, optional
        From a decoded RGB picture of Pillow's to the one whose pixels are given.

    Attributes
    ----------
    classes : list of str
    files : list of Path
    labels : ndarray of shape (N,), int64
    """

    def __init__(self, root: str | Path, cut: Callable[[Image], Image] | None = None) -> None:
        require("PIL.Image")
        self.root, self.cut = Path(root), cut
        if not self.root.exists():
            raise MissingFileError(f"no such folder: {self.root}")
        if not self.root.is_dir():
            raise ForeignFileError(f"expected a folder with a sub-folder of images for each class; {root} is a file")
        folders = sorted(entry for entry in self.root.iterdir() if entry.is_dir() and not entry.name.startswith("."))
        if not folders:
            raise InputError(f"expected a sub-folder of images for each class in {self.root}; got none")
        self.classes = [folder.name for folder in folders]
        images = [_images(folder) for folder in folders]
        self.files = [file for of_class in images for file in of_class]
        self.labels: NDArray[np.int64] = np.repeat(np.arange(len(folders)), [len(of_class) for of_class in images])

    def __len__(self) -> int:
        return len(self.files)

    def __getitem__(self, index: int) -> tuple[Tensor, int]:
        """Pixels 0..255 as uint8 of shape (3, height, width), and the class index."""
        with self.decode(self.files[index]) as image:
            pixels = np.array(image if self.cut is None else self.cut(image))
        return torch.from_numpy(pixels).permute(2, 0, 1).contiguous(), int(self.labels[index])

    @staticmethod
    def decode(file: Path) -> Image:
        """A picture file as RGB, or `DamagedFileError`."""
        pillow = require("PIL.Image")
        damages = (OSError, ValueError, SyntaxError, EOFError, IndexError, pillow.DecompressionBombError)
        try:
            with pillow.open(file) as image:
                rgb: Image = image.convert("RGB")
                return rgb
        except damages as error:
            reason = "it is no image that Pillow knows" if isinstance(error, pillow.UnidentifiedImageError) else error
            raise DamagedFileError(f"{file} cannot be read as an image: {reason}") from error


def _images(folder: Path) -> list[Path]:
    files = [entry for entry in folder.iterdir() if entry.suffix.lower() in SUFFIXES and not entry.name.startswith(".")]
    if not files:
        raise InputError(f"expected images ({', '.join(SUFFIXES)}) in {folder}; got none")
    return sorted(files)
