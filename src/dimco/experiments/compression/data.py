"""The embeddings that are compressed: a training set, which is also the support, and a test set."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dimco.backbones.weights import read_weights
from dimco.datasets import data_folder, load_data
from dimco.errors import InputError
from dimco.inputs import check_shape, encode_labels

DATASETS = ("cifar10", "cifar100")


@dataclass(frozen=True)
class Embeddings:
    """Training and test embeddings with class indices.

    Attributes
    ----------
    name, backbone : str
    x, query : ndarray of shape (N, features), (Q, features)
    y, truth : ndarray of int64
        Class indices; a test label that training lacks is -1.
    classes : int
    predicted : ndarray of shape (Q,), int64, or None
        The network's own predictions on the test set, where its last layer is at hand.
    """

    name: str
    backbone: str
    x: NDArray[Any]
    y: NDArray[np.int64]
    query: NDArray[Any]
    truth: NDArray[np.int64]
    classes: int
    predicted: NDArray[np.int64] | None = None


def load_embeddings(name: str) -> Embeddings:
    """The embeddings of a data set that stands beside the project."""
    if name not in DATASETS:
        raise InputError(f"expected a data set of {', '.join(DATASETS)}, or --train and --test; got {name!r}")
    folder = data_folder()
    train, test = (folder / "embeddings" / f"{name}_resnet20_{part}.npz" for part in ("train", "test"))
    weights = folder / "weights" / f"{name}_resnet20.safetensors"
    return from_files(name, "resnet20", train, test, weights if weights.exists() else None)


def from_files(name: str, backbone: str, train: Path, test: Path, weights: Path | None = None) -> Embeddings:
    """Embeddings from two files of labelled features, and the network's last layer (fc.weight, fc.bias) if given."""
    stored, asked = load_data(train), load_data(test)
    classes, y = encode_labels(stored.labels(), len(stored.x))
    check_shape(asked.x, stored.x.shape[1])
    labels = asked.labels()
    if (labels.dtype.kind in "OUS") != (classes.dtype.kind in "OUS"):
        raise InputError(f"expected test labels like those of training ({classes.dtype}); got {labels.dtype}")
    place = np.searchsorted(classes, labels).clip(max=len(classes) - 1)
    truth = np.where(classes[place] == labels, place, -1)
    predicted = None
    if weights is not None:
        layer = read_weights(weights)
        weight, bias = (layer[name].numpy() for name in ("fc.weight", "fc.bias"))
        predicted = (asked.x.astype(np.float32) @ weight.T + bias).argmax(1)
    return Embeddings(name, backbone, stored.x, y, asked.x, truth, len(classes), predicted)
