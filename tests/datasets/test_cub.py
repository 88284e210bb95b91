"""CUB-200-2011 as published."""

from __future__ import annotations

import pytest

from dimco.datasets.cub import cub_images
from dimco.errors import DamagedFileError, MissingFileError


@pytest.fixture
def tree(tmp_path):
    """Twelve classes whose order as text is not their order as numbers; an image each, given in another order."""
    numbers = list(range(12, 0, -1))
    (tmp_path / "classes.txt").write_text("".join(f"{n} {n:03}.Bird_{n}\n" for n in range(1, 13)))
    (tmp_path / "images.txt").write_text("".join(f"{n} {n:03}.Bird_{n}/B_{n}.jpg\n" for n in numbers))
    (tmp_path / "image_class_labels.txt").write_text("".join(f"{n} {n}\n" for n in numbers))
    return tmp_path


def test_classes_are_in_the_order_of_their_numbers_and_the_first_half_trains(tree):
    images = cub_images(tree)
    assert images.classes == tuple(f"{n:03}.Bird_{n}" for n in range(1, 13))
    assert images.training_classes == 6
    assert images.labels.tolist() == list(range(12))
    assert images.files[0] == tree / "images" / "001.Bird_1" / "B_1.jpg"


def test_lists_that_do_not_fit_are_refused(tree):
    (tree / "image_class_labels.txt").write_text("1 1\n")
    with pytest.raises(DamagedFileError, match=r"expected a class for each of 12 images in .*; got 1 lines"):
        cub_images(tree)
    (tree / "images.txt").write_text("one bird.jpg\n")
    with pytest.raises(DamagedFileError, match="expected lines of a number and a name"):
        cub_images(tree)
    (tree / "images.txt").unlink()
    with pytest.raises(MissingFileError, match=r"no such file: .*images\.txt"):
        cub_images(tree)
