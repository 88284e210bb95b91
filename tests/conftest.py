"""Shared fixtures: a seeded generator, a small separable data set, ways to damage a file, checks of pictures."""

import itertools
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


@pytest.fixture
def assert_no_texts_overlap():
    """Fail when two visible texts of a figure touch, or one leaves the figure."""

    def check(figure):
        import matplotlib.text
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        renderer = FigureCanvasAgg(figure).get_renderer()
        figure.draw(renderer)
        texts = [text for text in figure.findobj(matplotlib.text.Text) if text.get_visible() and text.get_text()]
        boxes = [(text.get_text(), matplotlib.text.Text.get_window_extent(text, renderer)) for text in texts]
        for (name, box), (other, beside) in itertools.combinations(boxes, 2):
            assert not box.overlaps(beside), f"{name!r} overlaps {other!r}"
        for name, box in boxes:
            inside = box.x0 >= 0 and box.y0 >= 0 and box.x1 <= figure.bbox.x1 and box.y1 <= figure.bbox.y1
            assert inside, f"{name!r} leaves the picture"

    return check
