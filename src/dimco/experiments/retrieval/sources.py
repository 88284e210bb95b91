"""From what people name to a set: a data set that stands beside the project, a tree of images, arrays or features."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from dimco.datasets import data_folder
from dimco.errors import InputError, MissingFileError
from dimco.experiments.retrieval.data import RetrievalSet, load_arrays, load_features
from dimco.experiments.retrieval.pack import pack, read_tree
from dimco.experiments.retrieval.rows import FROZEN

DATASETS = ("cub", "cars")
_TREES = {"cub": ("CUB_200_2011", "cub"), "cars": ("stanford_cars", "cars")}

Say = Callable[[str], None]


def set_name(dataset: str, frozen: bool) -> str:
    """What jobs call it."""
    name = dataset if dataset in DATASETS else Path(dataset).stem
    return name + FROZEN if frozen else name


def load_set(dataset: str, frozen: bool, root: Path | None, arrays: Path, say: Say) -> RetrievalSet:
    """The set of a name or a path.

    Parameters
    ----------
    dataset : str
        "cub" or "cars"; else a folder of images or NAME.npy with its labels and classes, or with `frozen` a file of
        features.
    frozen : bool
        Features in place of pixels: `embeddings/NAME_resnet50.npz` of the root.
    root : Path or None
        Where the data sets are; the data folder by default.
    arrays : Path
        Folder for the pixels of a tree, which are decoded once.
    """
    name, known = set_name(dataset, frozen), dataset in DATASETS
    if frozen:
        file = (root or data_folder()) / "embeddings" / f"{dataset}_resnet50.npz" if known else Path(dataset)
        return load_features(file, name)
    if known:
        folder = root or data_folder()
        if (folder / f"{name}.npy").exists():
            return load_arrays(folder, name)
        tree = next((folder / tree for tree in _TREES[dataset] if (folder / tree).is_dir()), None)
        if tree is None:
            raise MissingFileError(
                f"expected {name}.npy or a folder {_TREES[dataset][0]} in {folder}; neither is there"
            )
        return _packed(tree, name, arrays, say)
    path = Path(dataset)
    if path.suffix == ".npy":
        return load_arrays(path.parent, path.stem)
    if not path.is_dir():
        raise InputError(f"expected {' or '.join(DATASETS)}, a folder of images or NAME.npy; got {dataset!r}")
    return _packed(path, name, arrays, say)


def _packed(tree: Path, name: str, arrays: Path, say: Say) -> RetrievalSet:
    if not (arrays / f"{name}.classes.json").exists():
        images = read_tree(tree)
        say(f"{len(images.files):,} images of {len(images.classes)} classes to {arrays / name}.npy")
        arrays.mkdir(parents=True, exist_ok=True)
        pack(images, arrays / f"{name}.npy", on_images=lambda done: say(f"{done:,} of {len(images.files):,} images"))
    return load_arrays(arrays, name)
