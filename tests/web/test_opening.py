"""Files of a command line that belong together, and those that do not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dimco import CodeIndex
from dimco.errors import InputError
from dimco.web.opening import Sources, open_collection


@pytest.fixture
def folder(known, tmp_path):
    x, labels, model = known
    index = CodeIndex(model.spec)
    index.add(model.encode(x), labels=labels)
    model.save(tmp_path / "model")
    index.save(tmp_path / "index")
    np.savez(tmp_path / "data.npz", x=x, y=labels, classes=["one", "two", "three"])
    np.savez(tmp_path / "images.npz", x=np.zeros((90, 5, 5), np.uint8), classes=["eins", "zwei", "drei"])
    return tmp_path


def opened(folder: Path, **others):
    return open_collection(Sources(folder / "model", folder / "index", **others))


def test_the_index_alone_is_enough(folder):
    collection = opened(folder)
    assert (len(collection), collection.sure, collection.pictures, collection.route) == (90, False, None, None)


def test_names_of_classes_come_from_the_data_or_else_the_images(folder):
    assert opened(folder, data=folder / "data.npz").codebook.classes == ["one", "two", "three"]
    assert opened(folder, images=folder / "images.npz").codebook.classes == ["eins", "zwei", "drei"]


def test_pixels_are_shown_and_take_pictures(folder):
    collection = opened(folder, data=folder / "data.npz", pixels="4x4")
    assert len(collection.pictures) == 90
    assert "4 by 4" in collection.route.description


@pytest.mark.parametrize(
    ("others", "line"),
    [
        ({"pixels": "4x4"}, "expected --pixels with --data"),
        ({"backbone": "resnet50"}, "expected --backbone and --weights together"),
        ({"pixels": "4by4", "data": "data.npz"}, 'such as "8x8"'),
        ({"pixels": "0x9", "data": "data.npz"}, 'such as "8x8"'),
        ({"pixels": "5x5", "data": "data.npz"}, "expected 25 features"),
    ],
)
def test_what_does_not_belong_together_is_refused(folder, others, line):
    others = {name: folder / value if name == "data" else value for name, value in others.items()}
    with pytest.raises(InputError, match=line):
        opened(folder, **others)
