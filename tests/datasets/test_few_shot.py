"""Data sets of few-shot learning, from the forms in which people have them."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PIL import Image

from dimco.datasets import data_folder
from dimco.datasets.class_splits import PARTS
from dimco.datasets.few_shot import load_few_shot
from dimco.datasets.image_set import ImageSet
from dimco.errors import InputError, MissingFileError

MINI = {"train": ["n02", "n01"], "val": ["n04"], "test": ["n03"]}
FS = {"train": ["sweet_pepper", "apple"], "val": ["lawn_mower"], "test": ["maple"]}


def write(path, value, size=(8, 8)):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, (value, 0, 255 - value)).save(path)


def values(images):
    """The red of each image, which tells the images of these tests apart."""
    return images.pixels[:, 0, 0, 0].tolist()


@pytest.fixture
def mini(tmp_path):
    """Two images a class; `folder` does not agree with the part, as in mirrors of the data."""
    folder = tmp_path / "splits"
    folder.mkdir()
    value = 0
    for part, classes in MINI.items():
        lines = ["filename,label"]
        for label in classes:
            for number in (2, 1):
                name = f"{label}0000{number}.png"
                write(tmp_path / ("a" if number == 1 else "b/c") / label / name, value := value + 1)
                lines.append(f"{name},{label}")
        (folder / f"miniimagenet_{part}.csv").write_text("\n".join(lines) + "\n")
    write(tmp_path / "a" / "n01" / "not in the split.png", 99)
    return tmp_path


def test_mini_imagenet_is_found_by_the_names_of_its_files_in_any_tree(mini):
    parts = load_few_shot("miniimagenet", mini)
    assert {part: images.classes for part, images in parts.items()} == {p: tuple(c) for p, c in MINI.items()}
    assert {part: values(images) for part, images in parts.items()} == {
        "train": [1, 2, 3, 4], "val": [5, 6], "test": [7, 8],
    }  # fmt: skip
    assert parts["train"].labels.tolist() == [0, 0, 1, 1]
    assert parts["test"].labels.tolist() == [0, 0]


def test_the_split_may_lie_elsewhere_and_images_may_be_resized(mini, tmp_path):
    (mini / "splits").rename(tmp_path / "other")
    parts = load_few_shot("miniimagenet", mini, split=tmp_path / "other", size=4)
    assert parts["train"].pixels.shape == (4, 3, 4, 4)


def test_a_missing_image_is_one_clear_line(mini):
    (mini / "a" / "n04" / "n0400001.png").unlink()
    with pytest.raises(
        MissingFileError, match=r"expected the 8 images of the split in .*; 1 are missing, such as n0400001"
    ):
        load_few_shot("miniimagenet", mini)


@pytest.fixture
def cifar_fs(tmp_path):
    folder = tmp_path / "splits"
    folder.mkdir()
    for part, classes in FS.items():
        (folder / f"cifar-fs_{part}.json").write_text(json.dumps([["superclass", name] for name in classes]))
    return tmp_path


def test_cifar_fs_takes_folders_by_class_of_both_halves_however_the_names_are_written(cifar_fs):
    value = 0
    for half in ("train", "test"):
        for name in ("apple", "Sweet-Pepper", "lawn mower", "maple", "not in the split"):
            write(cifar_fs / half / name / "1.png", value := value + 1)
    parts = load_few_shot("cifar-fs", cifar_fs)
    assert {part: values(images) for part, images in parts.items()} == {
        "train": [7, 2, 6, 1],
        "val": [8, 3],
        "test": [9, 4],
    }


@pytest.mark.parametrize("named", [True, False])
def test_cifar_fs_takes_the_binary_archive(named, cifar_fs):
    names = ["apple", "lawn-mower", "maple", "sweet_pepper", *(f"other {number}" for number in range(96))]
    folder = cifar_fs / ("cifar-100-binary" if named else "mine")
    folder.mkdir()
    (folder / "fine_label_names.txt").write_text("\n".join(name.replace(" ", "_") for name in names))
    for name, labels in {"train.bin": [3, 0, 1, 9], "test.bin": [2, 0]}.items():
        (folder / name).write_bytes(b"".join(bytes([0, label]) + bytes([label]) * 3_072 for label in labels))
    parts = load_few_shot("cifar-fs", cifar_fs if named else folder, split=cifar_fs / "splits")
    assert {part: values(images) for part, images in parts.items()} == {"train": [3, 0, 0], "val": [1], "test": [2]}


def test_cifar_fs_takes_pixels_kept_in_a_folder(cifar_fs, rng):
    names = ("apple", "lawn_mower", "maple", "sweet_pepper")
    pixels = rng.integers(0, 256, (8, 3, 4, 4), dtype=np.uint8)
    ImageSet(pixels, np.arange(8) % 4, names).save(cifar_fs / "cifar100.npy")
    for place in (cifar_fs, cifar_fs / "cifar100.npy"):
        train = load_few_shot("cifar-fs", place)["train"]
        assert train.classes == ("sweet_pepper", "apple")
        np.testing.assert_array_equal(train.pixels, pixels[[3, 7, 0, 4]])


def test_a_folder_of_ones_own_needs_a_split_of_its_classes(tmp_path):
    for value, name in enumerate(["fox", "owl", "elk", "yak"]):
        write(tmp_path / "pictures" / "deep" / name / "1.png", value)
    split = tmp_path / "split.json"
    split.write_text(json.dumps({"train": ["yak", "fox"], "val": ["owl"], "test": ["elk"]}))
    parts = load_few_shot(tmp_path / "pictures", split=split)
    assert {part: values(images) for part, images in parts.items()} == {"train": [3, 0], "val": [1], "test": [2]}
    with pytest.raises(InputError, match=r"expected miniimagenet, cifar-fs, or a split file for the folder"):
        load_few_shot(tmp_path / "pictures")
    split.write_text(json.dumps({"train": ["yak", "gnu"], "val": ["owl"], "test": ["elk"]}))
    with pytest.raises(MissingFileError, match=r"images of 2 classes in .*; 1 have none, such as gnu"):
        load_few_shot(tmp_path / "pictures", split=split)
    split.write_text(json.dumps({"train": ["gnu"], "val": ["ape"], "test": ["rat"]}))
    with pytest.raises(MissingFileError, match="expected folders named by classes, such as gnu"):
        load_few_shot(tmp_path / "pictures", split=split)


def test_decoded_images_are_kept_and_read_again(mini):
    cache = mini / "kept.npy"
    first = load_few_shot("miniimagenet", mini, cache=cache)
    for folder in ("a", "b"):
        (mini / folder).rename(mini / f".{folder}")
    again = load_few_shot("miniimagenet", mini, cache=cache)
    for part in PARTS:
        np.testing.assert_array_equal(again[part].pixels, first[part].pixels)
        np.testing.assert_array_equal(again[part].labels, first[part].labels)
        assert again[part].classes == first[part].classes
    with pytest.raises(InputError, match=r"expected images of 5 x 5; .* holds \(8, 8\)"):
        load_few_shot("miniimagenet", mini, size=5, cache=cache)


def test_the_splits_beside_the_project_are_the_usual_ones(tmp_path):
    try:
        folder = data_folder() / "splits"
    except MissingFileError as error:
        pytest.skip(str(error))
    from dimco.datasets.class_splits import csv_split, json_parts_split, part_files

    mini = csv_split(part_files(folder, "miniimagenet", ".csv"))
    cifar_fs = json_parts_split(part_files(folder, "cifar-fs", ".json"))
    for split in (mini, cifar_fs):
        assert [len(split.classes[part]) for part in PARTS] == [64, 16, 20]
    assert {len(files) for files in mini.files.values()} == {600}
