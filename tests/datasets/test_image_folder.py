"""Folders of images."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from dimco.datasets import ImageFolder
from dimco.errors import DamagedFileError, DimcoError, ForeignFileError, InputError, MissingFileError


def _image(path, value=0, size=(8, 6), mode="RGB"):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new(mode, size, value).save(path)


@pytest.fixture
def root(tmp_path):
    for name, value in (
        ("dog/b.png", 10),
        ("dog/a.PNG", 20),
        ("cat/z.bmp", 30),
        ("cat/10.webp", 40),
        ("cow/1.jpeg", 50),
    ):
        _image(tmp_path / "root" / name, (value, 0, 255))
    (tmp_path / "root" / "dog" / "notes.txt").write_text("hello")
    (tmp_path / "root" / "dog" / ".hidden.png").write_bytes(b"")
    (tmp_path / "root" / ".cache").mkdir()
    (tmp_path / "root" / "README.md").write_text("hello")
    return tmp_path / "root"


def test_classes_and_files_are_in_the_order_of_their_names(root):
    images = ImageFolder(root)
    assert images.classes == ["cat", "cow", "dog"]
    assert [file.name for file in images.files] == ["10.webp", "z.bmp", "1.jpeg", "a.PNG", "b.png"]
    assert images.labels.tolist() == [0, 0, 1, 2, 2]
    assert images.labels.dtype == np.int64
    assert len(images) == 5


def test_items_are_pixels_with_their_class(root):
    pixels, label = ImageFolder(root)[3]
    assert (tuple(pixels.shape), str(pixels.dtype), label) == ((3, 6, 8), "torch.uint8", 2)
    assert pixels[:, 2, 5].tolist() == [20, 0, 255]


def test_the_cut_is_applied(root):
    pixels, _ = ImageFolder(root, lambda image: image.crop((0, 0, 4, 5)))[0]
    assert pixels.shape == (3, 5, 4)


@pytest.mark.parametrize(("mode", "value"), [("L", 7), ("P", 0), ("RGBA", (1, 2, 3, 4)), ("1", 1), ("I;16", 9)])
def test_every_kind_of_image_becomes_rgb(tmp_path, mode, value):
    _image(tmp_path / "class" / "image.png", value, mode=mode)
    assert ImageFolder(tmp_path)[0][0].shape == (3, 6, 8)


def test_images_are_not_opened_before_they_are_asked_for(tmp_path):
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "a.png").write_bytes(b"no image")
    assert len(ImageFolder(tmp_path)) == 1


@pytest.mark.parametrize("suffix", ["png", "jpg", "bmp", "webp"])
def test_a_damaged_image_is_named_in_one_line(tmp_path, rng, suffix):
    path = tmp_path / "class" / f"a.{suffix}"
    path.parent.mkdir()
    Image.fromarray(rng.integers(0, 256, (9, 9, 3), dtype=np.uint8)).save(path)
    images, content = ImageFolder(tmp_path), path.read_bytes()
    for size in range(0, len(content) // 2, 7):
        path.write_bytes(content[:size])
        with pytest.raises(DamagedFileError, match=rf"a\.{suffix} cannot be read as an image: ") as caught:
            images[0]
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("suffix", ["png", "jpg", "bmp", "webp"])
def test_an_image_with_a_flipped_bit_is_an_image_or_an_error_of_ours(tmp_path, damaged_copies, rng, suffix):
    path = tmp_path / "class" / f"a.{suffix}"
    path.parent.mkdir()
    Image.fromarray(rng.integers(0, 256, (9, 9, 3), dtype=np.uint8)).save(path)
    images = ImageFolder(tmp_path)
    for _, copy in damaged_copies(path, stride=3):
        images.files[0] = copy
        try:
            pixels, _ = images[0]
        except DimcoError:
            continue
        assert pixels.shape[0] == 3


def test_folders_that_cannot_be_used_are_one_clear_line(tmp_path):
    (tmp_path / "file").write_text("hello")
    (tmp_path / "flat").mkdir()
    _image(tmp_path / "flat" / "a.png")
    _image(tmp_path / "some" / "full" / "a.png")
    (tmp_path / "some" / "empty").mkdir()
    for name, kind, message in [
        ("absent", MissingFileError, "no such folder: "),
        ("file", ForeignFileError, "is a file"),
        ("flat", InputError, "expected a sub-folder of images for each class in .*flat; got none"),
        ("some", InputError, r"expected images \(.png, .*\) in .*empty; got none"),
    ]:
        with pytest.raises(kind, match=message):
            ImageFolder(tmp_path / name)
