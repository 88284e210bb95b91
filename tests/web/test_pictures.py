"""Pictures from folders and arrays, and their thumbnails."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from dimco.errors import ForeignFileError
from dimco.web.pictures import Pictures, open_pictures, thumbnail

PIXELS = np.random.default_rng(0).integers(0, 256, (5, 6, 8, 3)).astype(np.uint8)


def test_bytes_are_shown_as_they_are():
    np.testing.assert_array_equal(np.asarray(Pictures(PIXELS).picture(3)), PIXELS[3])


def test_numbers_are_scaled_from_black_to_white():
    grey = np.array([[[0.0, 8.0], [16.0, 32.0]]])
    assert np.asarray(Pictures(grey, 0, 16).picture(0)).tolist() == [[0, 128], [255, 255]]


def test_a_folder_gives_its_pictures_in_the_order_of_its_classes(tmp_path):
    for name, place in (("b", 0), ("a", 1)):
        (tmp_path / name).mkdir()
        Image.fromarray(PIXELS[place]).save(tmp_path / name / "1.png")
    pictures, names = open_pictures(tmp_path)
    assert (len(pictures), names) == (2, ["a", "b"])
    np.testing.assert_array_equal(np.asarray(pictures.picture(0)), PIXELS[1])


def test_whole_numbers_are_bytes_and_others_go_from_0_to_1():
    assert np.asarray(Pictures(np.array([[[7, 200]]])).picture(0)).tolist() == [[7, 200]]
    assert np.asarray(Pictures(np.array([[[[0.0], [1.0]]]])).picture(0)).tolist() == [[0, 255]]


def test_an_archive_gives_its_pictures_and_classes(tmp_path):
    np.savez(tmp_path / "a.npz", x=PIXELS, classes=["one", "two"])
    pictures, names = open_pictures(tmp_path / "a.npz")
    assert (len(pictures), names) == (5, ["one", "two"])


def test_what_holds_no_pictures_is_refused(tmp_path):
    np.savez(tmp_path / "a.npz", y=PIXELS)
    with pytest.raises(ForeignFileError):
        open_pictures(tmp_path / "a.npz")


def test_small_pictures_keep_every_pixel_and_large_ones_fit_the_side():
    content, kind = thumbnail(Image.fromarray(PIXELS[0]), 64)
    assert kind == "image/png"
    np.testing.assert_array_equal(np.asarray(Image.open(io.BytesIO(content))), PIXELS[0])
    content, kind = thumbnail(Image.new("RGB", (400, 100)), 64)
    assert (kind, Image.open(io.BytesIO(content)).size) == ("image/jpeg", (64, 16))
