"""Files that split classes."""

from __future__ import annotations

import json

import pytest

from dimco.datasets.class_splits import csv_split, json_parts_split, json_split, part_files
from dimco.errors import DamagedFileError, InputError, MissingFileError


def test_a_csv_a_part_names_the_files_of_each_class_in_its_order(tmp_path):
    for part, lines in {"train": "b1.jpg,b\na1.jpg,a\nb2.jpg,b", "val": "c1.jpg,c", "test": "d1.jpg,d"}.items():
        (tmp_path / f"mine_{part}.csv").write_text(f"filename,label\n{lines}\n")
    split = csv_split(part_files(tmp_path, "mine", ".csv"))
    assert split.classes == {"train": ("b", "a"), "val": ("c",), "test": ("d",)}
    assert split.files == {"b": ("b1.jpg", "b2.jpg"), "a": ("a1.jpg",), "c": ("c1.jpg",), "d": ("d1.jpg",)}
    assert split.all_classes == ["b", "a", "c", "d"]


def test_json_names_classes_alone_or_after_their_superclass(tmp_path):
    for part, entries in {"train": [["x", "a"], ["y", "b"]], "val": [["x", "c"]], "test": ["d"]}.items():
        (tmp_path / f"mine_{part}.json").write_text(json.dumps(entries))
    split = json_parts_split(part_files(tmp_path, "mine", ".json"))
    assert split.classes == {"train": ("a", "b"), "val": ("c",), "test": ("d",)}
    assert split.files is None
    (tmp_path / "one.json").write_text(json.dumps({"train": ["a", "b"], "val": ["c"], "test": ["d"]}))
    assert json_split(tmp_path / "one.json") == split


def test_a_class_in_two_parts_and_an_empty_part_are_refused(tmp_path):
    for content, message in [
        ({"train": ["a"], "val": ["b"], "test": ["a"]}, "each class in one part; a is in train and in test"),
        ({"train": ["a"], "val": [], "test": ["b"]}, "classes in each part of a split; val has none"),
        ({"train": ["a"], "test": ["b"]}, "got something else"),
        ({"train": [1], "val": ["b"], "test": ["c"]}, r"expected names of classes in .*; got \[1\]"),
        ({"train": "a", "val": ["b"], "test": ["c"]}, "a list of classes in .*; got str"),
    ]:
        (tmp_path / "one.json").write_text(json.dumps(content))
        with pytest.raises(InputError, match=message):
            json_split(tmp_path / "one.json")


def test_missing_and_damaged_files_are_named(tmp_path):
    with pytest.raises(MissingFileError, match=r"no such split file: .*mine_train.csv"):
        part_files(tmp_path, "mine", ".csv")
    with pytest.raises(MissingFileError, match="no such split file"):
        json_split(tmp_path / "one.json")
    (tmp_path / "one.json").write_text("{")
    with pytest.raises(DamagedFileError, match="is no JSON"):
        json_split(tmp_path / "one.json")
    (tmp_path / "a.csv").write_text("name,class\n1,2\n")
    with pytest.raises(DamagedFileError, match="expected columns filename and label"):
        csv_split(dict.fromkeys(("train", "val", "test"), tmp_path / "a.csv"))
