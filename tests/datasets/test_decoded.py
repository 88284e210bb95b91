"""Image files decoded into one array."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from dimco.datasets.decoded import decoded, image_files
from dimco.errors import DamagedFileError, ForeignFileError, InputError, MissingFileError


def write(path, size=(6, 4), seed=0):
    path.parent.mkdir(parents=True, exist_ok=True)
    values = np.random.default_rng(seed).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
    Image.fromarray(values).save(path)
    return values


def test_pixels_come_in_the_order_of_the_files(tmp_path):
    files = [tmp_path / f"{number}.png" for number in range(9)]
    expected = [write(file, seed=number) for number, file in enumerate(files)]
    found = decoded(files[::-1], threads=4)
    assert found.dtype == np.uint8
    np.testing.assert_array_equal(found, np.stack(expected[::-1]).transpose(0, 3, 1, 2))


def test_images_of_any_size_are_resized_to_the_shorter_side_and_cut(tmp_path):
    files = [tmp_path / "wide.png", tmp_path / "high.png"]
    for file, size in zip(files, [(30, 10), (12, 20)], strict=True):
        write(file, size)
    found = decoded(files, size=8)
    assert found.shape == (2, 3, 8, 8)
    wide = Image.open(files[0]).resize((24, 8), Image.Resampling.BILINEAR).crop((8, 0, 16, 8))
    np.testing.assert_array_equal(found[0], np.asarray(wide).transpose(2, 0, 1))


def test_images_of_several_sizes_without_a_size_are_refused(tmp_path):
    files = [tmp_path / "a.png", tmp_path / "b.png"]
    for file, size in zip(files, [(6, 4), (5, 5)], strict=True):
        write(file, size)
    with pytest.raises(InputError, match=r"b.png makes it 6 x 4 and 5 x 5: name a size"):
        decoded(files)


def test_a_damaged_image_is_named(tmp_path):
    write(tmp_path / "a.png")
    (tmp_path / "b.png").write_bytes(b"no image")
    with pytest.raises(DamagedFileError, match=r"b.png cannot be read as an image"):
        decoded([tmp_path / "a.png", tmp_path / "b.png"])
    with pytest.raises(InputError, match="got none"):
        decoded([])


def test_images_are_found_at_any_depth_in_the_order_of_their_paths(tmp_path):
    for name in ("train/b/2.png", "train/b/1.JPG", "a/0.png", ".hidden/3.png", "train/.4.png"):
        write(tmp_path / name)
    (tmp_path / "notes.txt").write_text("hello")
    found = [str(file.relative_to(tmp_path)) for file in image_files(tmp_path)]
    assert found == ["a/0.png", "train/b/1.JPG", "train/b/2.png"]


def test_folders_without_images_are_refused(tmp_path):
    with pytest.raises(InputError, match=r"expected images .* got none"):
        image_files(tmp_path)
    with pytest.raises(MissingFileError):
        image_files(tmp_path / "nothing")
    (tmp_path / "file").write_text("")
    with pytest.raises(ForeignFileError, match="is a file"):
        image_files(tmp_path / "file")
