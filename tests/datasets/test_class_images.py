"""Trees of images with a split of their classes."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PIL import Image

from dimco.datasets.class_images import ClassImages, folder_classes, of_classes, read_class_list
from dimco.errors import DamagedFileError, InputError, MissingFileError


@pytest.fixture
def tree(tmp_path):
    """Four classes, spread over two parts; 10.png of the first comes after 2.png of another."""
    for name in (
        "train/wren/3.png",
        "test/wren/4.png",
        "train/owl/1.png",
        "test/owl/10.png",
        "gull/7.png",
        "auk/9.png",
    ):
        file = tmp_path / "birds" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (4, 4)).save(file)
    return tmp_path / "birds"


def names(images):
    return [images.classes[label] for label in images.labels]


def test_a_class_is_a_folder_name_wherever_it_stands(tree):
    images = folder_classes(tree)
    assert images.training_classes == 2
    assert names(images) == ["owl", "owl", "wren", "wren", "gull", "auk"], "numbered files: by the smallest number"
    assert [file.name for file in images.files] == ["10.png", "1.png", "4.png", "3.png", "7.png", "9.png"]
    Image.new("RGB", (4, 4)).save(tree / "auk" / "beak.png")
    assert folder_classes(tree).classes == ("auk", "gull", "owl", "wren"), "other names: by name"


def test_a_list_gives_the_order_and_may_leave_classes_out(tree, tmp_path):
    (tmp_path / "list.txt").write_text("wren\nauk\n\nowl\n")
    images = folder_classes(tree, tmp_path / "list.txt")
    assert (images.classes, images.training_classes) == (("wren", "auk", "owl"), 1)
    assert names(images) == ["wren", "wren", "auk", "owl", "owl"]


def test_a_split_says_what_trains(tree, tmp_path):
    (tmp_path / "split.json").write_text(json.dumps({"train": ["wren", "auk", "owl"], "test": ["gull"]}))
    assert folder_classes(tree, tmp_path / "split.json").training_classes == 3
    (tmp_path / "list.json").write_text(json.dumps(["wren", "auk"]))
    assert read_class_list(tmp_path / "list.json") == (["wren", "auk"], None)


def test_what_cannot_be_a_split_is_refused(tree, tmp_path):
    with pytest.raises(MissingFileError, match=r"no such file: .*absent"):
        folder_classes(tree, tmp_path / "absent")
    (tmp_path / "broken.json").write_text('{"train": 3}')
    with pytest.raises(DamagedFileError, match=r'expected \{"train": \[...\], "test": \[...\]\}'):
        folder_classes(tree, tmp_path / "broken.json")
    for text, said in (("wren\nemu", "images of each of 2 classes; 'emu' has none"), ("auk\nauk", "'auk' twice")):
        (tmp_path / "list.txt").write_text(text)
        with pytest.raises(InputError, match=said):
            folder_classes(tree, tmp_path / "list.txt")
    with pytest.raises(InputError, match="others to test on; got 2 of 2"):
        ClassImages([], np.empty(0, np.int64), ("a", "b"), 2)
    with pytest.raises(InputError, match="folders named after their classes"):
        folder_classes(tree / "gull")


def test_images_of_a_class_stay_in_their_order(tmp_path):
    pairs = [(tmp_path / name, name[0]) for name in ("b2", "a9", "b1", "a3")]
    found = of_classes(pairs, ["a", "b"])
    assert [file.name for file in found.files] == ["a9", "a3", "b2", "b1"]
    assert found.labels.tolist() == [0, 0, 1, 1]
