"""Single pictures in files."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from dimco.datasets.picture_file import names_pictures, picture_files, read_picture
from dimco.errors import DamagedFileError, InputError, MissingFileError

PIXELS = np.random.default_rng(0).integers(0, 256, (3, 5, 3)).astype(np.uint8)


def test_a_folder_stands_for_all_pictures_in_it_by_name(tmp_path):
    for name in ("b.png", "a/z.PNG", "a/.hidden.png", ".cache/x.png", "a.png"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        Image.fromarray(PIXELS).save(tmp_path / name, format="png")
    (tmp_path / "notes.txt").write_text("")
    names = [str(file.relative_to(tmp_path)) for file in picture_files([tmp_path])]
    assert names == ["a/z.PNG", "a.png", "b.png"]
    again = picture_files([tmp_path / "b.png", tmp_path / "a"])
    assert [file.name for file in again] == ["b.png", "z.PNG"]


def test_folders_without_pictures_and_files_that_are_not_there_are_named(tmp_path):
    with pytest.raises(InputError, match="expected images"):
        picture_files([tmp_path])
    with pytest.raises(MissingFileError, match=r"no such file: .*absent\.jpg"):
        picture_files([tmp_path / "absent.jpg"])


def test_pictures_are_known_by_their_names(tmp_path):
    assert names_pictures(tmp_path)
    assert [names_pictures(tmp_path / name) for name in ("a.JPG", "a.npz", "a")] == [True, False, False]


def test_pictures_stand_as_the_camera_was_held(tmp_path):
    image = Image.fromarray(PIXELS)
    exif = image.getexif()
    exif[0x0112] = 6
    image.save(tmp_path / "turned.png", exif=exif)
    np.testing.assert_array_equal(np.asarray(read_picture(tmp_path / "turned.png")), np.rot90(PIXELS, -1))


def test_what_is_transparent_is_white(tmp_path):
    Image.fromarray(np.dstack([PIXELS, np.zeros((3, 5), np.uint8)])).save(tmp_path / "clear.png")
    assert (np.asarray(read_picture(tmp_path / "clear.png")) == 255).all()


@pytest.mark.parametrize("content", [b"", b"no picture", b"\x89PNG\r\n\x1a\n cut"])
def test_a_file_that_is_no_picture_is_named(tmp_path, content):
    (tmp_path / "a.png").write_bytes(content)
    with pytest.raises(DamagedFileError, match=r"a\.png cannot be read as an image"):
        read_picture(tmp_path / "a.png")
