"""A few-shot data set small enough to train on in a moment."""

from __future__ import annotations

import json

import numpy as np
import pytest

from dimco.datasets.image_set import ImageSet
from dimco.experiments.fewshot.data import load_parts, training_preprocessing

PARTS = {"train": 8, "val": 5, "test": 6}
IMAGES = 20


@pytest.fixture(scope="session")
def few_shot_root(tmp_path_factory):
    """A folder with "cifar-fs" of 19 classes of 20 images of 16 x 16, each class a colour with noise."""
    root = tmp_path_factory.mktemp("few-shot")
    rng = np.random.default_rng(0)
    classes = sum(PARTS.values())
    labels = np.repeat(np.arange(classes), IMAGES)
    colours = rng.integers(30, 226, (classes, 3, 1, 1))
    pixels = colours[labels] + rng.integers(-25, 26, (len(labels), 3, 16, 16))
    names = [f"class {number}" for number in range(classes)]
    ImageSet(pixels.astype(np.uint8), labels, tuple(names)).save(root / "cifar100.npy")
    (root / "splits").mkdir()
    for part, number in PARTS.items():
        own, names = names[:number], names[number:]
        (root / "splits" / f"cifar-fs_{part}.json").write_text(json.dumps(own))
    load_parts.cache_clear()
    training_preprocessing.cache_clear()
    return root
