"""dimco report, as people type it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from dimco.cli.app import run


@pytest.fixture
def given(tmp_path, blobs, rng):
    """A folder with a fitted model, its data, and images."""
    np.savez(tmp_path / "data.npz", x=blobs.x, y=blobs.labels, classes=["ash", "birch", "cedar"])
    np.savez(tmp_path / "images.npz", x=rng.integers(256, size=(60, 4, 4, 3), dtype=np.uint8))
    fit = ["fit", str(tmp_path / "data.npz"), "-o", str(tmp_path / "model"), "--k", "4", "--d", "2", "--epochs", "3"]
    assert run([*fit, "--quiet"]) == 0
    return tmp_path


def report(folder, *options):
    data = str(folder / "data.npz")
    return run(["report", str(folder / "model"), "--support", data, "--query", data, "--knn", "5", *options])


def test_one_file_is_written(given, capsys):
    capsys.readouterr()
    page = given / "r.html"
    assert report(given, "--images", str(given / "images.npz"), "-o", str(page), "--json") == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["report"], result["bytes"], result["code"]) == (str(page), page.stat().st_size, "4x2")
    content = page.read_text(encoding="utf-8")
    assert "birch" in content
    assert "polyline" in content, "what fit keeps of its training is drawn"
    assert {path.name for path in given.iterdir()} == {"data.npz", "images.npz", "model", "r.html"}


def test_classes_are_named_where_both_files_name_them(given, capsys, blobs):
    np.savez(given / "plain.npz", x=blobs.x, y=blobs.labels)
    page = given / "r.html"
    assert report(given, "--support", str(given / "plain.npz"), "-o", str(page), "--quiet") == 0
    assert "birch" not in page.read_text(encoding="utf-8")
    assert "top1" in capsys.readouterr().out


def test_wrong_use_exits_with_2_and_one_line(given, capsys):
    np.savez(given / "few.npz", x=np.zeros((3, 4, 4)))
    cases = (
        (["--images", str(given / "few.npz")], "expected 60 images"),
        (["-o", str(given)], "expected a file to write the page to"),
        (["--support", str(given / "none.npz")], "no such file"),
    )
    for options, message in cases:
        capsys.readouterr()
        assert report(given, *options) == 2, options
        (line,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("error: ")]
        assert message in line
