"""From names and paths to sets."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PIL import Image

from dimco.errors import InputError, MissingFileError
from dimco.experiments.retrieval.sources import load_set, set_name


@pytest.fixture
def load(tmp_path):
    def load(dataset, frozen=False):
        return load_set(str(dataset), frozen, tmp_path, tmp_path / "arrays", lambda line: None)

    return load


@pytest.fixture
def tree(tmp_path):
    for name in "abcd":
        (tmp_path / "photos" / name).mkdir(parents=True)
        Image.new("RGB", (300, 280), name and (ord(name), 0, 0)).save(tmp_path / "photos" / name / "1.png")
    return tmp_path / "photos"


def test_names_of_sets():
    assert set_name("cub", False) == "cub"
    assert set_name("cub", True) == "cub-frozen"
    assert set_name("/some/photos.npy", False) == "photos"


def test_features_are_frozen(load, tmp_path):
    (tmp_path / "embeddings").mkdir()
    x, y = np.ones((8, 5), np.float16), np.repeat([3, 4, 7, 9], 2)
    for file in ("embeddings/cub_resnet50.npz", "mine.npz"):
        np.savez(tmp_path / file, x=x, y=y)
    for data, name in ((load("cub", True), "cub-frozen"), (load(tmp_path / "mine.npz", True), "mine-frozen")):
        assert (data.name, data.training_classes, data.x.dtype) == (name, 2, np.float32)
        assert data.labels.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
        assert not data.images


def test_arrays_are_taken_before_a_tree(load, tmp_path):
    np.save(tmp_path / "cub.npy", np.zeros((4, 3, 2, 2), np.uint8))
    np.save(tmp_path / "cub.labels.npy", np.arange(4))
    (tmp_path / "cub.classes.json").write_text(json.dumps({"train": ["a", "b", "c"], "test": ["d"]}))
    assert load("cub").training_classes == 3
    assert load(tmp_path / "cub.npy").name == "cub"


def test_a_tree_is_decoded_once(load, tree, tmp_path):
    data = load(tree)
    assert (data.name, data.x.shape, data.training_classes) == ("photos", (4, 3, 256, 256), 2)
    assert data.x[2, 0, 0, 0] == ord("c")
    for file in tree.rglob("*.png"):
        file.unlink()
    assert load(tree).x.shape == (4, 3, 256, 256)


def test_what_is_not_there_is_said(load, tmp_path):
    with pytest.raises(MissingFileError, match=r"expected cars\.npy or a folder stanford_cars in"):
        load("cars")
    with pytest.raises(InputError, match=r"expected cub or cars, a folder of images or NAME\.npy; got 'birds'"):
        load("birds")
    with pytest.raises(MissingFileError, match=r"no such file: .*cars_resnet50\.npz"):
        load("cars", True)
