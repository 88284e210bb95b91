"""dimco gallery, as people type it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from dimco.backbones import Standardize
from dimco.cli.app import run
from dimco.cli.gallery import class_names
from dimco.heads import LinearHead
from dimco.model import CodeModel
from dimco.spec import CodeSpec


@pytest.fixture
def given(tmp_path, blobs, rng):
    """A folder with a model, data with class names, and images."""
    CodeModel(Standardize(6).fit(blobs.x), LinearHead(6, CodeSpec(4, 2))).save(tmp_path / "model")
    np.savez(tmp_path / "data.npz", x=blobs.x, y=blobs.labels, classes=["ash", "birch", "cedar"])
    np.savez(tmp_path / "images.npz", x=rng.integers(256, size=(60, 4, 4, 3), dtype=np.uint8))
    return tmp_path


def gallery(folder, *options):
    return run(["gallery", str(folder / "model"), str(folder / "data.npz"), "-o", str(folder / "out"), *options])


def test_pictures_and_numbers_are_written(given, capsys):
    assert gallery(given, "--images", str(given / "images.npz"), "--positions", "1", "--json") == 0
    captured = capsys.readouterr()
    result = json.loads(captured.out)
    assert (result["items"], result["code"]) == (60, "4x2")
    assert result["files"] == len(list((given / "out").iterdir()))
    rows = json.loads((given / "out" / "summary.json").read_text())["rows"]
    assert len(rows) == 8
    assert {entry["class"] for row in rows for entry in row["top_classes"]} == {"ash", "birch", "cedar"}
    assert "position-0.png" in captured.err


def test_without_images_classes_are_drawn(given, capsys):
    assert gallery(given, "--positions", "1", "--quiet") == 0
    captured = capsys.readouterr()
    assert "code" in captured.out
    assert captured.err == ""
    assert (given / "out" / "position-0.svg").exists()


def test_wrong_use_exits_with_2_and_one_line(given, capsys, blobs):
    np.savez(given / "few.npz", x=np.zeros((3, 4, 4)))
    np.savez(given / "data.npz", x=blobs.x)
    for options, message in (
        (["--images", str(given / "few.npz")], "expected 60 images"),
        (["--images", str(given / "none")], "no such file or folder"),
        ([], "expected images or labels"),
        (["--top", "0"], "--top"),
    ):
        capsys.readouterr()
        assert gallery(given, *options) == 2, options
        (line,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error: ")]
        assert message in line


def test_class_names_are_those_of_the_file_where_labels_are_places_in_them(tmp_path):
    np.savez(tmp_path / "d.npz", classes=["a", "b"])
    np.savez(tmp_path / "e.npz", x=[1])
    assert class_names(tmp_path / "d.npz", np.array([0, 1])) == ["a", "b"]
    for file, labels in (("d.npz", np.array([0, 2])), ("d.npz", np.array(["a"])), ("d.npz", None), ("e.npz", [0])):
        assert class_names(tmp_path / file, labels if labels is None else np.asarray(labels)) is None
    assert class_names(tmp_path / "d.csv", np.array([0])) is None
