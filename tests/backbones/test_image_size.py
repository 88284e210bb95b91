"""Sizes of images that a network halves four times."""

from __future__ import annotations

import pytest
import torch

from dimco.backbones.image_size import check_images, check_size
from dimco.errors import InputError


def test_a_side_that_four_halvings_leave_nothing_of_is_refused():
    assert check_size(16) == 16
    with pytest.raises(InputError, match="at least 16 x 16; got a size of 15"):
        check_size(15)


def test_only_square_images_of_the_side_in_three_colours_pass():
    check_images(torch.zeros(1, 3, 20, 20), 20)
    for shape in ((1, 3, 20, 21), (1, 4, 20, 20), (3, 20, 20)):
        with pytest.raises(InputError, match="expected images of shape"):
            check_images(torch.zeros(shape), 20)
