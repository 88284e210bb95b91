"""A small data set in files, and training that takes no time."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from dimco.experiments.compression import methods
from dimco.experiments.compression.data import Embeddings, from_files
from dimco.fitting import FitSettings


class Files(NamedTuple):
    """Where labelled features for training and testing are."""

    train: Path
    test: Path


@pytest.fixture(scope="session")
def files(tmp_path_factory) -> Files:
    """5 classes of 30 training and 6 test items each in 8 features, and 2 test items of a class of their own."""
    folder, rng = tmp_path_factory.mktemp("toy"), np.random.default_rng(0)
    centres = rng.normal(size=(6, 8))
    for name, labels in (("train", np.repeat(np.arange(5), 30)), ("test", [*np.repeat(np.arange(5), 6), 5, 5])):
        x = (centres[labels] + 0.7 * rng.normal(size=(len(labels), 8))).astype(np.float16)
        np.savez(folder / f"{name}.npz", x=x, y=np.asarray(labels, dtype=np.uint8))
    return Files(folder / "train.npz", folder / "test.npz")


@pytest.fixture
def toy(files) -> Embeddings:
    return from_files("toy", "given", *files)


@pytest.fixture
def quick(monkeypatch):
    """Train for two epochs."""
    for name, settings in (
        ("dimco-infomax", FitSettings(objective="infomax", head="linear", epochs=2)),
        ("dimco-positions", FitSettings(objective="infomax", head="linear", group=1, epochs=2)),
        ("dimco-mlp", FitSettings(objective="decoder", head="mlp", epochs=2, hidden=16)),
        ("dimco-decoder", FitSettings(objective="decoder", head="codeword", epochs=2, hidden=16)),
    ):
        monkeypatch.setitem(methods.OURS, name, settings)
