"""The images that belong to rows of features: an array in a file, or a folder of images by class."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dimco.datasets.image_folder import ImageFolder
from dimco.errors import DamagedFileError, ForeignFileError, InputError, MissingFileError


class FolderPictures:
    """Images of a folder by class, in the order of `dimco embed`, decoded when asked for."""

    def __init__(self, folder: ImageFolder) -> None:
        self._folder = folder
        self.classes = folder.classes

    def __len__(self) -> int:
        return len(self._folder)

    def __getitem__(self, item: int) -> NDArray[np.uint8]:
        """Bytes of shape (height, width, 3)."""
        pixels: NDArray[np.uint8] = self._folder[int(item)][0].permute(1, 2, 0).numpy()
        return pixels


def load_pictures(path: str | Path, items: int | None = None) -> Any:
    """Images indexed by item.

    Parameters
    ----------
    path : str or Path
        `.npz` with an array `x`, or `.npy`, of shape (N, height, width) or (N, height, width, 3); or a folder with a
        sub-folder for each class.
    items : int, optional
        How many there must be.
    """
    place = Path(path)
    if not place.exists():
        raise MissingFileError(f"no such file or folder: {place}")
    images: Any = FolderPictures(ImageFolder(place)) if place.is_dir() else _array(place)
    if items is not None and len(images) != items:
        raise InputError(f"expected {items:,} images, one an item and in their order; {place} holds {len(images):,}")
    return images


def _array(file: Path) -> NDArray[Any]:
    if file.suffix.lower() not in (".npz", ".npy"):
        raise ForeignFileError(f"expected images as a folder, .npz or .npy; got {file.name}")
    try:
        loaded = np.load(file, mmap_mode="r" if file.suffix.lower() == ".npy" else None, allow_pickle=False)
        if isinstance(loaded, np.lib.npyio.NpzFile):
            with loaded:
                if "x" not in loaded.files:
                    raise ForeignFileError(f"expected an array x of images in {file}; it holds {', '.join(loaded)}")
                loaded = loaded["x"]
    except ForeignFileError:
        raise
    except Exception as error:
        raise DamagedFileError(f"{file} cannot be read as numpy data: {error}") from error
    images: NDArray[Any] = loaded
    if images.ndim not in (3, 4) or images.shape[3:] not in ((), (1,), (3,)):
        raise InputError(f"expected images of shape (N, height, width) or (N, height, width, 3); got {images.shape}")
    return images
