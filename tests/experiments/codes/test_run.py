"""The codes experiment on a small data set of its own."""

from __future__ import annotations

import json

import numpy as np
import pytest

from dimco.errors import InputError, MissingFileError
from dimco.experiments.codes.run import measured, run_codes
from dimco.fitting import FitSettings

SETTINGS = FitSettings(k=4, d=2, epochs=3, device="cpu")


@pytest.fixture
def data_folder(tmp_path, rng, monkeypatch):
    """The data folder, with CIFAR-100's names and three classes of small pictures."""
    monkeypatch.setenv("DIMCO_DATA", str(tmp_path / "data"))
    for name in ("embeddings", "images"):
        (tmp_path / "data" / name).mkdir(parents=True)
    for part, n in (("train", 90), ("test", 60)):
        labels = np.arange(n) % 3
        x = 4 * np.eye(3, 5)[labels] + rng.normal(size=(n, 5))
        np.savez(tmp_path / "data" / "embeddings" / f"cifar100_resnet20_{part}.npz", x=x, y=labels)
    images = rng.integers(256, size=(60, 4, 4, 3), dtype=np.uint8)
    file = tmp_path / "data" / "images" / "cifar100_test.npz"
    np.savez(file, x=images, y=np.arange(60) % 3, classes=["ash", "birch", "cedar"])
    return tmp_path


def test_numbers_and_pictures_are_written(data_folder):
    said = []
    results = run_codes("cifar100", SETTINGS, data_folder / "r.json", data_folder, "dimco", said.append)
    assert json.loads((data_folder / "r.json").read_text(encoding="utf-8")) == results
    assert len(results["rows"]) == 8
    assert results["command"] == "dimco"
    assert (results["test"]["items"], results["training"]["items"]) == (60, 90)
    assert (data_folder / "codes-cifar100-position-1.png").exists()
    assert said[0] == "learned 4x2 from 90 embeddings"


def test_combinations_say_what_is_gained(codebook_of_blobs):
    found = measured(codebook_of_blobs, [{0: 1, 1: 2}])
    (row,) = found["combinations"]
    both = codebook_of_blobs.combine({0: 1, 1: 2})
    assert (row["symbols"], row["items"], row["together"]) == ({"0": 1, "1": 2}, both.matches, round(both.purity, 4))
    page = codebook_of_blobs.symbol(0, 1)
    assert row["alone"][0] == round(page.histogram[row["class"]] / page.given, 4)
    assert [position["used"] for position in found["positions"]] == (codebook_of_blobs.usage > 0).sum(1).tolist()


@pytest.fixture
def codebook_of_blobs(blobs):
    from dimco.backbones import Standardize
    from dimco.codebook import Codebook
    from dimco.heads import LinearHead
    from dimco.model import CodeModel
    from dimco.spec import CodeSpec

    codebook = Codebook(CodeModel(Standardize(6).fit(blobs.x), LinearHead(6, CodeSpec(4, 2))), blobs.x, blobs.labels)
    pair = codebook.combine({0: 1, 1: 2})
    assert pair.matches > 0
    return codebook


def test_data_without_images_is_refused(tmp_path, monkeypatch):
    with pytest.raises(InputError, match="expected a data set with images at hand, of cifar100; got 'cifar10'"):
        run_codes("cifar10", SETTINGS, tmp_path / "r.json", tmp_path, "")
    monkeypatch.setenv("DIMCO_DATA", str(tmp_path / "absent"))
    with pytest.raises(MissingFileError, match="expected the data folder"):
        run_codes("cifar100", SETTINGS, tmp_path / "r.json", tmp_path, "")
