"""From trees of images to arrays."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PIL import Image

from dimco.datasets.decoded import decoded
from dimco.errors import ForeignFileError, InputError
from dimco.experiments.retrieval import pack as module
from dimco.experiments.retrieval.data import load_arrays
from dimco.experiments.retrieval.pack import main, pack, read_tree


@pytest.fixture
def tree(tmp_path):
    """Four classes of two pictures of several sizes."""
    rng = np.random.default_rng(0)
    for name in "abcd":
        (tmp_path / "tree" / name).mkdir(parents=True)
        for number in range(2):
            pixels = rng.integers(0, 256, (20 + number, 30, 3), np.uint8)
            Image.fromarray(pixels).save(tmp_path / "tree" / name / f"{name}{number}.png")
    return tmp_path / "tree"


def test_the_arrays_are_the_pictures_class_by_class(tree, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(module, "_AT_ONCE", 3)
    assert main([str(tree), "-o", str(tmp_path / "birds.npy"), "--size", "16"]) == 0
    assert capsys.readouterr().out.splitlines() == [f"{n} of 8 images" for n in (3, 6, 8)]
    data = load_arrays(tmp_path, "birds")
    assert data.training_classes == 2
    assert data.labels.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    np.testing.assert_array_equal(data.x, decoded(sorted(tree.glob("*/*.png")), 16))
    assert json.loads((tmp_path / "birds.classes.json").read_text()) == {"train": ["a", "b"], "test": ["c", "d"]}


def test_official_layouts_are_known_by_their_lists(tree):
    for number, name in enumerate(("images.txt", "image_class_labels.txt", "classes.txt")):
        lines = [f"{n + 1} {('a/a0.png', n + 1, 'abcd'[n])[number]}" for n in range(4)]
        (tree / name).write_text("\n".join(lines))
    assert read_tree(tree).files[0] == tree / "images" / "a" / "a0.png"
    assert len(read_tree(tree, "folder").files) == 8
    with pytest.raises(InputError, match="expected a layout of auto, cub, cars, folder; got 'birds'"):
        read_tree(tree, "birds")


def test_mistakes_are_one_line(tree, tmp_path, capsys):
    with pytest.raises(ForeignFileError, match=r"expected a file of pixels, \.npy; got birds\.bin"):
        pack(read_tree(tree), tmp_path / "birds.bin")
    assert main([str(tmp_path / "absent"), "-o", "x.npy"]) == 1
    assert capsys.readouterr().err == f"error: no such folder: {tmp_path / 'absent'}\n"
