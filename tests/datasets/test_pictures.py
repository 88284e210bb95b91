"""Images that belong to rows of features."""

from __future__ import annotations

import numpy as np
import pytest

from dimco.datasets.pictures import as_image, class_names, load_pictures, named_pictures
from dimco.errors import DamagedFileError, ForeignFileError, InputError, MissingFileError


@pytest.mark.parametrize("shape", [(5, 4, 3), (5, 4, 3, 1), (5, 4, 3, 3)])
def test_arrays_come_from_npz_and_npy(tmp_path, rng, shape):
    images = rng.integers(256, size=shape, dtype=np.uint8)
    np.savez(tmp_path / "i.npz", x=images)
    np.save(tmp_path / "i.npy", images)
    for name in ("i.npz", "i.npy"):
        np.testing.assert_array_equal(load_pictures(tmp_path / name, 5)[3], images[3])


def test_folders_come_in_the_order_of_embed(tmp_path, rng):
    from PIL import Image

    images = rng.integers(256, size=(4, 5, 6, 3), dtype=np.uint8)
    for image, name in zip(images, ("a/1", "a/2", "b/0", "c/9"), strict=True):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        Image.fromarray(image).save(tmp_path / f"{name}.png")
    pictures = load_pictures(tmp_path, 4)
    np.testing.assert_array_equal([pictures[np.int64(item)] for item in range(4)], images)


def test_files_that_hold_no_such_images_are_refused(tmp_path):
    (tmp_path / "bad.npz").write_bytes(b"not an archive")
    (tmp_path / "x.txt").write_text("a")
    np.savez(tmp_path / "other.npz", y=np.zeros(3))
    np.savez(tmp_path / "wide.npz", x=np.zeros((3, 2, 2, 5)))
    np.savez(tmp_path / "few.npz", x=np.zeros((3, 2, 2)))
    for name, error, message in (
        ("none", MissingFileError, "no such file or folder"),
        ("x.txt", ForeignFileError, "expected images as a folder, .npz or .npy; got x.txt"),
        ("bad.npz", DamagedFileError, "cannot be read"),
        ("other.npz", ForeignFileError, "expected an array x of images"),
        ("wide.npz", InputError, r"got \(3, 2, 2, 5\)"),
        ("few.npz", InputError, "expected 4 images, one an item and in their order; .* holds 3"),
    ):
        with pytest.raises(error, match=message):
            load_pictures(tmp_path / name, 4)


def test_any_number_will_do_where_none_is_expected(tmp_path):
    np.save(tmp_path / "i.npy", np.zeros((3, 2, 2)))
    assert len(load_pictures(tmp_path / "i.npy")) == 3


def test_names_of_classes_are_looked_for_in_archives_alone(tmp_path):
    np.savez(tmp_path / "a.npz", x=np.zeros((3, 2, 2)))
    np.savez(tmp_path / "named.npz", x=np.zeros((3, 2, 2)), classes=["one", "two"])
    assert class_names(tmp_path / "a.npz") is None
    assert class_names(tmp_path / "a.csv") is None
    images, names = named_pictures(tmp_path / "named.npz")
    assert (len(images), names) == (3, ["one", "two"])


def test_a_folder_names_its_classes_by_its_sub_folders(tmp_path):
    from PIL import Image

    for name in ("b", "a"):
        (tmp_path / name).mkdir()
        Image.new("L", (2, 2)).save(tmp_path / name / "1.png")
    assert named_pictures(tmp_path)[1] == ["a", "b"]


def test_numbers_become_bytes_from_black_to_white():
    assert np.asarray(as_image(np.array([[7, 200]]))).tolist() == [[7, 200]]
    assert np.asarray(as_image(np.array([[[0.0], [0.5], [1.0]]]))).tolist() == [[0, 128, 255]]
    assert np.asarray(as_image(np.array([[0.0, 8.0, 16.0]]), 0, 16)).tolist() == [[0, 128, 255]]
