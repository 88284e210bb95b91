"""The images of an experiment: a data set's three parts, loaded once a process, and fewer of a class on request."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np

from dimco.backbones.preprocessing import Preprocessing
from dimco.datasets.few_shot import load_few_shot
from dimco.datasets.image_set import ImageSet
from dimco.errors import InputError
from dimco.experiments.fewshot.job import DATASETS
from dimco.randomness import generator
from dimco.training.augmentation import Augmentation

_PADDING = {32: 4}
_DEFAULT_PADDING, _JITTER = 8, 0.4


@lru_cache(maxsize=2)
def load_parts(dataset: str, root: Path | None) -> dict[str, ImageSet]:
    """`train`, `val` and `test` of a data set, read once; a folder of the user's own holds a `split.json`."""
    if dataset in DATASETS:
        return load_few_shot(dataset, root=root)
    return load_few_shot(dataset, split=Path(dataset) / "split.json")


@lru_cache(maxsize=2)
def training_preprocessing(dataset: str, root: Path | None) -> Preprocessing:
    """The means and deviations of the training images, counted once."""
    return Preprocessing.of_pixels(load_parts(dataset, root)["train"].pixels)


def augmentation(images: ImageSet) -> Augmentation:
    """As MetaOptNet does it: random crop with padding 8, or 4 at 32 pixels, colour jitter 0.4, flip."""
    size = images.pixels.shape[-1]
    return Augmentation(size, padding=_PADDING.get(size, _DEFAULT_PADDING), jitter=_JITTER, flip=True)


def few_of_each(images: ImageSet, each: int, seed: int) -> ImageSet:
    """That many images of each class, drawn at random, in their order; with 0 all of them."""
    if each == 0:
        return images
    counts = np.bincount(images.labels, minlength=len(images.classes))
    if counts.min() < each:
        raise InputError(f"expected at least {each} images of each class; the smallest has {counts.min()}")
    rng = generator(seed, "images a class", each)
    rows = [rng.choice(np.flatnonzero(images.labels == c), each, replace=False) for c in range(len(counts))]
    kept = np.sort(np.concatenate(rows))
    return ImageSet(images.pixels[kept], images.labels[kept], images.classes)


def repeated(images: ImageSet, items: int) -> ImageSet:
    """The images several times over, at least `items` of them, so that an epoch is not too short.

    Only for batches with one item of a class, in which no image can then come twice.
    """
    times = -(-items // len(images.labels))
    if times == 1:
        return images
    return ImageSet(np.tile(images.pixels, (times, 1, 1, 1)), np.tile(images.labels, times), images.classes)
