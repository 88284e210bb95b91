"""Data sets of few-shot learning: images whose classes are split into those to train on, to validate and to test."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import numpy as np

from dimco.datasets.cifar import is_cifar, load_cifar
from dimco.datasets.class_splits import PARTS, ClassSplit, csv_split, json_parts_split, json_split, part_files
from dimco.datasets.decoded import decoded, image_files
from dimco.datasets.folder import data_folder
from dimco.datasets.image_set import ImageSet
from dimco.errors import InputError, MissingFileError

_CACHED_AS = {"miniimagenet": "mini.npy", "cifar-fs": "cifar100.npy"}
_ARCHIVES = ("cifar-100-binary", "cifar-100-binary.tar.gz")


def load_few_shot(
    name_or_folder: str | Path,
    root: str | Path | None = None,
    split: str | Path | None = None,
    size: int | None = None,
    cache: str | Path | None = None,
) -> dict[str, ImageSet]:
    """The images of the "train", "val" and "test" classes, which have nothing in common.

    Parameters
    ----------
    name_or_folder : str or Path
        "miniimagenet", from a tree of folders with the files that the split names; "cifar-fs", from the binary
        archive of CIFAR-100 or a tree with a folder for each class; or a tree of your own with a folder for each
        class, at any depth.
    root : str or Path, optional
        Where the images of a named set are: the archive, the tree, the `.npy` of an `ImageSet`, or a folder with
        the archive, `mini.npy` or `cifar100.npy` in it. By default the data folder.
    split : str or Path, optional
        For named sets the folder with `miniimagenet_train.csv` and so on, or `cifar-fs_train.json` and so on; by
        default `splits` beside the images, else in the data folder. For a folder of your own a JSON file
        `{"train": [...], "val": [...], "test": [...]}` with the names of the classes.
    size : int, optional
        Side to which images are resized and cut; without it they must come in one size.
    cache : str or Path, optional
        A `.npy` that keeps the decoded images: read if it is there, else written.
    """
    name = str(name_or_folder)
    if name in _CACHED_AS:
        place = Path(root) if root is not None else data_folder()
        classes = _named_split(name, place, split)
        found = place / _CACHED_AS[name]
        if cache is None and found.exists():
            cache = found
    else:
        place = Path(name_or_folder)
        if split is None:
            raise InputError(f"expected {', '.join(_CACHED_AS)}, or a split file for the folder {place}; got no split")
        classes = json_split(Path(split))
    if place.suffix == ".npy":
        cache = place
    if cache is not None and Path(cache).exists():
        images = ImageSet.load(cache)
    else:
        images = _images(place, classes, size)
        if cache is not None:
            images.save(cache)
    if size is not None and images.pixels.shape[2:] != (size, size):
        raise InputError(f"expected images of {size} x {size}; {cache or place} holds {images.pixels.shape[2:]}")
    return {part: _of_part(images, classes.classes[part], place) for part in PARTS}


def _named_split(name: str, place: Path, split: str | Path | None) -> ClassSplit:
    beside = (place if place.is_dir() else place.parent) / "splits"
    folder = Path(split) if split is not None else beside if beside.is_dir() else data_folder() / "splits"
    if name == "miniimagenet":
        return csv_split(part_files(folder, name, ".csv"))
    return json_parts_split(part_files(folder, name, ".json"))


def _images(place: Path, split: ClassSplit, size: int | None) -> ImageSet:
    """The images of all classes of a split, class after class in its order."""
    for archive in (place, *(place / name for name in _ARCHIVES)):
        if archive.exists() and is_cifar(archive):
            return load_cifar(archive)
    files = image_files(place)
    of_class = _by_folder(files, split) if split.files is None else _by_name(files, split.files, place)
    chosen = [(number, file) for number, name in enumerate(split.all_classes) for file in of_class.get(name, [])]
    if not chosen:
        raise MissingFileError(
            f"expected folders named by classes, such as {split.all_classes[0]}, in {place}; got none"
        )
    labels = np.array([number for number, _ in chosen], np.int64)
    return ImageSet(decoded([file for _, file in chosen], size), labels, tuple(split.all_classes))


def _by_name(files: list[Path], names: dict[str, tuple[str, ...]], place: Path) -> dict[str, list[Path]]:
    """The files that a split names, wherever they lie."""
    by_name = {file.name: file for file in files}
    wanted = [name for of_class in names.values() for name in of_class]
    missing = [name for name in wanted if name not in by_name]
    if missing:
        raise MissingFileError(
            f"expected the {len(wanted):,} images of the split in {place}; "
            f"{len(missing):,} are missing, such as {missing[0]}"
        )
    return {label: [by_name[name] for name in of_class] for label, of_class in names.items()}


def _by_folder(files: list[Path], split: ClassSplit) -> dict[str, list[Path]]:
    """The files in folders with a class's name, at any depth."""
    plain = {_plain(name): name for name in split.all_classes}
    of_class: dict[str, list[Path]] = defaultdict(list)
    for file in files:
        if _plain(file.parent.name) in plain:
            of_class[plain[_plain(file.parent.name)]].append(file)
    return of_class


def _of_part(images: ImageSet, names: tuple[str, ...], place: Path) -> ImageSet:
    numbers = {_plain(name): number for number, name in enumerate(images.classes)}
    present = set(np.unique(images.labels).tolist())
    missing = [name for name in names if numbers.get(_plain(name)) not in present]
    if missing:
        raise MissingFileError(
            f"expected images of {len(names)} classes in {place}; {len(missing)} have none, such as {missing[0]}"
        )
    return images.of_classes([numbers[_plain(name)] for name in names])


def _plain(name: str) -> str:
    """A class's name without the ways of writing it: `sweet-pepper`, `Sweet Pepper` and `sweet_pepper` are one."""
    return name.lower().replace("-", "_").replace(" ", "_")
