"""The images that belong to rows of features: an array in a file, or a folder of images by class."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dimco.datasets.image_folder import ImageFolder
from dimco.errors import DamagedFileError, ForeignFileError, InputError, MissingFileError
from dimco.extras import require

if TYPE_CHECKING:
    from PIL.Image import Image

_MANY = 255.0


class FolderPictures:
    """Images of a folder by class, in the order of `dimco embed`, decoded when asked for."""

    def __init__(self, folder: ImageFolder) -> None:
        self._folder = folder
        self.classes = folder.classes

    def __len__(self) -> int:
        return len(self._folder)

    def labels(self) -> NDArray[np.str_]:
        """The name of the class of each image."""
        return np.array(self.classes)[self._folder.labels]

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


def pictures_in(path: Path) -> Any | None:
    """Images indexed by item, of a folder or of an array of bytes; None where the path holds something else."""
    if path.is_dir():
        return load_pictures(path)
    try:
        images = load_pictures(path)
    except (ForeignFileError, InputError):
        return None
    return images if images.dtype == np.uint8 else None


def named_pictures(path: Path) -> tuple[Any, list[str] | None]:
    """Images indexed by item, and the names of their classes if they stand there: of sub-folders, or in the file."""
    images = load_pictures(path)
    return images, images.classes if path.is_dir() else class_names(path)


def class_names(path: Path) -> list[str] | None:
    """The array `classes` of a .npz file, None if there is none."""
    if path.suffix.lower() != ".npz":
        return None
    with np.load(path, allow_pickle=False) as archive:
        return [str(name) for name in archive["classes"]] if "classes" in archive.files else None


def as_image(pixels: Any, low: float = 0.0, high: float | None = None) -> Image:
    """An array of shape (height, width), (height, width, 1) or (height, width, 3) as a picture.

    Numbers that are no bytes go from `low`, black, to `high`, white: 255 by default for integers, 1 for floats.
    """
    pixels = np.asarray(pixels)
    if pixels.shape[2:] == (1,):
        pixels = pixels[..., 0]
    if pixels.dtype != np.uint8:
        high = high or (1.0 if pixels.dtype.kind == "f" else _MANY)
        scaled = (pixels.astype(np.float64) - low) / (high - low)
        pixels = (_MANY * scaled.clip(0, 1)).round().astype(np.uint8)
    image: Image = require("PIL.Image").fromarray(np.ascontiguousarray(pixels))
    return image


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
