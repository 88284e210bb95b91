"""Examples and queries from folders of pictures and files of features."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from dimco.backbones import ResNet20, Standardize
from dimco.backbones.preprocessing import Preprocessing
from dimco.errors import DamagedFileError, InputError, MissingFileError
from dimco.fewshot.sources import load_items
from dimco.heads import LinearHead
from dimco.model import CodeModel
from dimco.spec import CodeSpec

SPEC = CodeSpec(4, 3)


@pytest.fixture
def of_pictures():
    return CodeModel(ResNet20(Preprocessing(12, 8, 255.0, (0.0, 0.0, 0.0))), LinearHead(64, SPEC))


@pytest.fixture
def of_features():
    return CodeModel(Standardize(5), LinearHead(5, SPEC))


def picture(path, colour, size=(12, 12)):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, colour).save(path)
    return path


def test_folders_by_class_give_cut_pixels_in_the_order_of_names(tmp_path, of_pictures):
    picture(tmp_path / "red" / "b.png", (200, 0, 0), (24, 12))
    picture(tmp_path / "blue" / "a.png", (0, 0, 200))
    items = load_items(tmp_path, of_pictures)
    assert items.x.shape == (2, 3, 8, 8)
    assert items.x.dtype == np.uint8
    assert items.x[:, :, 0, 0].tolist() == [[0, 0, 200], [200, 0, 0]]
    assert items.known_labels(tmp_path).tolist() == ["blue", "red"]
    assert items.names == ["blue/a.png", "red/b.png"]


def test_plain_pictures_have_no_class(tmp_path, of_pictures):
    picture(tmp_path / "b.png", (0, 9, 0))
    picture(tmp_path / "a.png", (7, 0, 0), (30, 20))
    (tmp_path / "notes.txt").write_text("no picture")
    items = load_items(tmp_path, of_pictures)
    assert items.names == ["a.png", "b.png"]
    assert items.x[:, :, 4, 4].tolist() == [[7, 0, 0], [0, 9, 0]]
    assert items.labels is None
    with pytest.raises(InputError, match="a sub-folder for each class of examples"):
        items.known_labels(tmp_path)
    assert load_items(tmp_path / "b.png", of_pictures).names == ["b.png"]


def test_features_come_with_their_labels_as_text(tmp_path, of_features):
    np.savez(tmp_path / "f.npz", x=np.eye(5), y=np.array([3, 3, 1, 1, 0]))
    items = load_items(tmp_path / "f.npz", of_features)
    assert items.known_labels(tmp_path).tolist() == ["3", "3", "1", "1", "0"]
    assert items.names[4] == "row 4"
    np.save(tmp_path / "plain.npy", np.eye(5))
    assert load_items(tmp_path / "plain.npy", of_features).labels is None


def test_what_cannot_be_used_is_said_in_a_line(tmp_path, of_pictures, of_features):
    with pytest.raises(MissingFileError, match="no such file or folder"):
        load_items(tmp_path / "absent", of_pictures)
    with pytest.raises(InputError, match=r"expected pictures \(.png"):
        load_items(tmp_path, of_pictures)
    picture(tmp_path / "a.png", (1, 2, 3))
    with pytest.raises(InputError, match="expected features for this model: its backbone, Standardize"):
        load_items(tmp_path, of_features)
    (tmp_path / "a.png").write_bytes(b"no picture")
    with pytest.raises(DamagedFileError, match=r"a.png cannot be read as an image"):
        load_items(tmp_path, of_pictures)
