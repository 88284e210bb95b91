"""Shared fixtures: a seeded generator, a small separable data set, and ways to damage a file."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, settings

torch.set_num_threads(1)
settings.register_profile(
    "dimco",
    deadline=None,
    max_examples=50,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
settings.load_profile("dimco")


class Labelled(NamedTuple):
    """Items and their class indices."""

    x: np.ndarray
    labels: np.ndarray


@pytest.fixture(autouse=True)
def _seeded_torch() -> None:
    """Initial weights, which torch draws from its global generator, are the same in every run."""
    torch.manual_seed(0)


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.fixture
def blobs(rng: np.random.Generator) -> Labelled:
    """60 items of 6 features in 3 classes that lie well apart."""
    labels = np.repeat(np.arange(3), 20)
    centres = 5 * np.eye(3, 6)
    return Labelled((centres[labels] + rng.normal(size=(60, 6))).astype(np.float32), labels)


@pytest.fixture
def damaged_copies(tmp_path: Path) -> Callable[..., Iterator[tuple[str, Path]]]:
    """Copies of a file cut at, or with one bit flipped in, every byte or every `stride`-th one."""

    def copies(path: Path, stride: int = 1) -> Iterator[tuple[str, Path]]:
        data = path.read_bytes()
        copy = tmp_path / "damaged"
        for place in range(0, len(data), stride):
            copy.write_bytes(data[:place])
            yield f"cut at byte {place}", copy
            flipped = bytes([data[place] ^ 1 << place % 8])
            copy.write_bytes(data[:place] + flipped + data[place + 1 :])
            yield f"bit flipped in byte {place}", copy

    return copies
