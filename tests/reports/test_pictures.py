"""Pictures laid out as one array."""

from __future__ import annotations

import numpy as np
import pytest

from dimco.errors import InputError
from dimco.reports.pictures import mosaic, picture


def test_pictures_of_the_right_size_are_left_as_they_are(rng):
    image = rng.integers(256, size=(8, 8, 3), dtype=np.uint8)
    np.testing.assert_array_equal(picture(image, 8), image)


@pytest.mark.parametrize("shape", [(4, 4), (4, 4, 1), (4, 4, 3), (40, 40)])
def test_every_kind_fills_its_square(shape):
    np.testing.assert_array_equal(picture(np.full(shape, 90, dtype=np.uint8), 16), np.full((16, 16, 3), 90))


def test_floats_are_from_0_to_1():
    assert (picture(np.full((2, 2), 0.5), 4) == 128).all()


def test_shapes_are_kept_on_white():
    framed = picture(np.zeros((10, 20), dtype=np.uint8), 20)
    np.testing.assert_array_equal(framed[:, 0, 0], np.repeat([255, 0, 255], [5, 10, 5]))


def test_a_mosaic_has_its_items_in_their_cells():
    images = np.arange(6, dtype=np.uint8)[:, None, None] * np.ones((1, 3, 3), dtype=np.uint8)
    grid = mosaic(images, [[5, 0], [1]], side=3, gap=2)
    assert grid.shape == (10, 10, 3)
    assert [grid[1, 1, 0], grid[1, 6, 0], grid[6, 1, 0], grid[6, 6, 0], grid[4, 4, 0]] == [5, 0, 1, 255, 255]


@pytest.mark.parametrize("shape", [(3,), (3, 3, 2), (0, 3), (2, 2, 3, 3)])
def test_what_is_no_picture_is_refused(shape):
    with pytest.raises(InputError, match="expected images of shape"):
        picture(np.zeros(shape), 8)
