"""ImageSet."""

from __future__ import annotations

import numpy as np
import pytest

from dimco.datasets.image_set import ImageSet
from dimco.errors import DamagedFileError, ForeignFileError, InputError, MissingFileError


@pytest.fixture
def images(rng):
    labels = np.array([2, 0, 1, 0, 2, 2, 1])
    return ImageSet(rng.integers(0, 256, (7, 3, 4, 5), dtype=np.uint8), labels, ("ant", "bee", "cow"))


def test_some_classes_are_taken_by_name_or_index_and_renumbered_in_their_order(images):
    for chosen in (["cow", "ant"], [2, 0], np.array([2, 0])):
        part = images.of_classes(chosen)
        assert part.classes == ("cow", "ant")
        assert part.labels.tolist() == [0, 0, 0, 1, 1]
        np.testing.assert_array_equal(part.pixels, images.pixels[[0, 4, 5, 1, 3]])


def test_a_class_without_images_leaves_none(images):
    part = ImageSet(images.pixels, images.labels, (*images.classes, "dog")).of_classes(["dog"])
    assert (len(part), part.classes) == (0, ("dog",))


def test_classes_that_lie_side_by_side_are_not_copied(rng):
    images = ImageSet(rng.integers(0, 256, (6, 3, 2, 2), dtype=np.uint8), np.arange(6) // 2, ("a", "b", "c"))
    assert np.shares_memory(images.of_classes(["b", "c"]).pixels, images.pixels)
    assert not np.shares_memory(images.of_classes(["c", "b"]).pixels, images.pixels)


def test_a_saved_set_comes_back_memory_mapped(images, tmp_path):
    images.save(tmp_path / "x.npy")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["x.classes.json", "x.labels.npy", "x.npy"]
    loaded = ImageSet.load(tmp_path / "x.npy")
    assert isinstance(loaded.pixels, np.memmap)
    np.testing.assert_array_equal(loaded.pixels, images.pixels)
    np.testing.assert_array_equal(loaded.labels, images.labels)
    assert loaded.classes == images.classes


def test_missing_foreign_and_damaged_files_are_told_apart(images, tmp_path):
    with pytest.raises(ForeignFileError, match=r"a file of pixels, .npy; got x.npz"):
        images.save(tmp_path / "x.npz")
    with pytest.raises(MissingFileError, match=r"no such file: .*x.npy"):
        ImageSet.load(tmp_path / "x.npy")
    images.save(tmp_path / "x.npy")
    (tmp_path / "x.npy").write_bytes((tmp_path / "x.npy").read_bytes()[:-1])
    with pytest.raises(DamagedFileError, match=r"x.npy is damaged"):
        ImageSet.load(tmp_path / "x.npy")
    images.save(tmp_path / "x.npy")
    (tmp_path / "x.classes.json").write_text('["ant"]')
    with pytest.raises(DamagedFileError, match="expected labels from 0 to 0; got 0 to 2"):
        ImageSet.load(tmp_path / "x.npy")
    (tmp_path / "x.classes.json").unlink()
    with pytest.raises(MissingFileError, match=r"x.classes.json"):
        ImageSet.load(tmp_path / "x.npy")


def test_arrays_that_do_not_fit_each_other_are_refused(images):
    for pixels, labels, message in [
        (images.pixels[:, :1], images.labels, r"expected pixels of shape \(N, 3, height, width\)"),
        (images.pixels.astype(np.float32), images.labels, "uint8; got float32"),
        (images.pixels, images.labels[:-1], "expected 7 labels, int64"),
        (images.pixels, images.labels.astype(np.int32), "int64; got int32"),
        (images.pixels, images.labels + 1, "labels from 0 to 2; got 1 to 3"),
    ]:
        with pytest.raises(InputError, match=message):
            ImageSet(pixels, labels, images.classes)


def test_classes_that_are_not_there_or_come_twice_are_refused(images):
    for chosen, message in [(["elk"], "one of 3 classes; got 'elk'"), ([3], "0 to 2; got 3"), ([0, "ant"], "twice")]:
        with pytest.raises(InputError, match=message):
            images.of_classes(chosen)
