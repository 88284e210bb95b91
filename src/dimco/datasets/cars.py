"""Cars-196 as it is published: 196 cars, the first 98 to train on and the others to test on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dimco.datasets.class_images import ClassImages, of_classes
from dimco.errors import DamagedFileError, MissingFileError
from dimco.extras import require

WHOLE = "cars_annos.mat"
META = "cars_meta.mat"
_PARTS = {"cars_train": "cars_train_annos.mat", "cars_test": "cars_test_annos_withlabels.mat"}
_PLACES = ("", "devkit", "car_devkit/devkit")


def cars_images(root: Path) -> ClassImages:
    """The images of a folder with `cars_annos.mat`, or with the development kit and its two parts.

    The kit is `cars_meta.mat`, `cars_train_annos.mat` and `cars_test_annos_withlabels.mat`, in the folder itself or
    in `devkit/`; the images are then in `cars_train/` and `cars_test/`.

    References
    ----------
    Krause, Stark, Deng, Fei-Fei, "3D object representations for fine-grained categorization", 3dRR 2013.
    """
    pairs = sorted(_of_whole(root) if (root / WHOLE).exists() else _of_parts(root))
    names = _names(root / WHOLE) if (root / WHOLE).exists() else _names(_found(root, META))
    wrong = next((number for _, number in pairs if not 1 <= number <= len(names)), None)
    if wrong is not None:
        raise DamagedFileError(f"expected classes from 1 to {len(names)} in the annotations of {root}; got {wrong}")
    return of_classes([(file, names[number - 1]) for file, number in pairs], names)


def _of_whole(root: Path) -> Iterator[tuple[Path, int]]:
    for entry in _read(root / WHOLE, "annotations"):
        yield root / _text(entry["relative_im_path"]), _number(entry["class"])


def _of_parts(root: Path) -> Iterator[tuple[Path, int]]:
    for folder, name in _PARTS.items():
        for entry in _read(_found(root, name), "annotations"):
            yield root / folder / _text(entry["fname"]), _number(entry["class"])


def _names(file: Path) -> list[str]:
    return [_text(name) for name in _read(file, "class_names")]


def _found(root: Path, name: str) -> Path:
    for place in _PLACES:
        if (root / place / name).exists():
            return root / place / name
    raise MissingFileError(f"expected {WHOLE}, or {name} in {root} or its devkit; neither is there")


def _read(file: Path, field: str) -> Any:
    """A row of structures or names of a MATLAB file."""
    matlab = require("scipy.io")
    try:
        return matlab.loadmat(str(file))[field].reshape(-1)
    except (KeyError, ValueError, OSError, TypeError, matlab.matlab.MatReadError) as error:
        raise DamagedFileError(f"expected {field} in a MATLAB file; {file} cannot be read so: {error}") from error


def _text(cell: Any) -> str:
    return str(cell.reshape(-1)[0])


def _number(cell: Any) -> int:
    return int(cell.reshape(-1)[0])
