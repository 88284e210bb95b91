"""Dropped pictures as the grey pixels of the stored ones."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageDraw

from dimco.errors import InputError
from dimco.web.grey_pixels import GreyPixels


def drawings():
    """White bars of full height on black, in pictures of 8 x 8, from 0 to 16."""
    grids = np.zeros((20, 8, 8))
    for number, grid in enumerate(grids):
        grid[:, 2 + number % 3 : 5] = 16
    return grids.reshape(20, 64).astype(np.float32)


def photographs():
    return np.random.default_rng(0).uniform(0, 1, (50, 64)).astype(np.float32)


def test_a_stored_drawing_comes_back_as_it_is():
    x = drawings()
    route = GreyPixels(8, 8, x)
    picture = Image.fromarray((x[0].reshape(8, 8) * 255 / 16).astype(np.uint8))
    np.testing.assert_allclose(route.features(picture).values.reshape(8, 8)[:, 2:5], 16)


def test_a_small_drawing_in_black_on_white_becomes_a_large_one_in_white_on_black():
    picture = Image.new("RGB", (200, 200), "white")
    ImageDraw.Draw(picture).rectangle((30, 60, 60, 139), fill="black")
    values, note = GreyPixels(8, 8, drawings()).features(picture)
    grid = values.reshape(8, 8)
    assert "dark and light exchanged" in note
    assert "as large as theirs" in note
    assert (grid > 8).any(1).all(), "as high as the stored drawings"
    assert 2 <= (grid > 8).any(0).sum() <= 4, "of its own shape"
    assert grid[:, 0].max() < 4


def test_photographs_are_averaged_over_each_pixel_and_neither_moved_nor_inverted():
    pixels = np.random.default_rng(1).integers(0, 256, (16, 16)).astype(np.uint8)
    values, note = GreyPixels(8, 8, photographs()).features(Image.fromarray(pixels))
    expected = pixels.reshape(8, 2, 8, 2).mean((1, 3)) / 255
    x = photographs()
    np.testing.assert_allclose(values.reshape(8, 8), x.min() + expected * (x.max() - x.min()), atol=1e-3)
    assert "drawing" not in note


def test_an_empty_picture_is_no_error():
    assert np.isfinite(GreyPixels(8, 8, drawings()).features(Image.new("L", (5, 5))).values).all()


@pytest.mark.parametrize(("rows", "x", "message"), [(7, drawings(), "expected 56"), (8, np.ones((3, 64)), "all are 1")])
def test_features_that_are_no_such_pixels_are_refused(rows, x, message):
    with pytest.raises(InputError, match=message):
        GreyPixels(rows, 8, x)
