"""Pictures as parts: those of a folder in the order of `dimco embed`, cut as the network wants them."""

import numpy as np
import pytest

from dimco.backbones.preprocessing import Preprocessing
from dimco.cluster.encoding.picture_source import PictureSource
from dimco.datasets import ImageFolder
from dimco.errors import DamagedFileError

WANTED = Preprocessing(18, 16, 255.0, (0.0, 0.0, 0.0))


def _rows(source, finished=frozenset()):
    return [rows for task in source.tasks(set(finished)) for rows in task.read()]


def test_parts_hold_the_pixels_that_an_image_folder_gives(photos, small_parts):
    source, images = PictureSource(photos[0], WANTED), ImageFolder(photos[0], WANTED.cut)
    rows = _rows(source)
    assert (source.items, source.sizes, [part.part for part in rows]) == (21, [8, 8, 5], [0, 1, 2])
    np.testing.assert_array_equal(np.concatenate([part.x for part in rows]), [image.numpy() for image, _ in images])
    assert [name for part in rows for name in part.kept["label"].to_pylist()] == ["birds"] * 13 + ["cats"] * 8


def test_finished_parts_are_not_read(photos, small_parts):
    every, rest = _rows(PictureSource(photos[0], WANTED)), _rows(PictureSource(photos[0], WANTED), {1})
    assert [part.part for part in rest] == [0, 2]
    assert rest[1].kept.equals(every[2].kept)


def test_a_damaged_picture_ends_the_reading_or_is_passed_over_with_its_number(photos, small_parts):
    (photos[0] / "birds" / "10.png").write_bytes(b"no picture")
    with pytest.raises(DamagedFileError, match=r"10\.png cannot be read as an image"):
        _rows(PictureSource(photos[0], WANTED))
    rows = _rows(PictureSource(photos[0], WANTED, skip_damaged=True))
    assert [len(part.skipped) for part in rows] == [0, 1, 0]
    assert rows[1].kept["id"].to_pylist() == [8, 9, 11, 12, 13, 14, 15]
    assert len(rows[1].x) == 7
