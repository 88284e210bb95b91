"""Pictures from outside, good and bad."""

from __future__ import annotations

import contextlib
import io

import numpy as np
import pytest
from fastapi import HTTPException
from PIL import Image

from dimco.web import uploads
from dimco.web.uploads import read_picture


def encoded(image, kind="PNG", **options):
    body = io.BytesIO()
    image.save(body, kind, **options)
    return body.getvalue()


def test_a_picture_is_read_whatever_its_mode():
    pixels = np.random.default_rng(0).integers(0, 256, (5, 7, 3)).astype(np.uint8)
    picture = read_picture(encoded(Image.fromarray(pixels)), "Image/PNG; charset=x")
    np.testing.assert_array_equal(np.asarray(picture), pixels)
    for mode in ("L", "P", "1", "CMYK"):
        kind = "JPEG" if mode == "CMYK" else "PNG"
        body = encoded(Image.new(mode, (3, 2)), kind)
        assert read_picture(body, f"image/{kind.lower()}").size == (3, 2)


def test_what_is_transparent_is_white():
    assert read_picture(encoded(Image.new("RGBA", (1, 1), (0, 0, 0, 0))), "image/png").getpixel((0, 0)) == (255,) * 3


def test_a_photograph_is_turned_as_the_camera_was_held():
    exif = Image.Exif()
    exif[274] = 6
    assert read_picture(encoded(Image.new("RGB", (4, 2)), "JPEG", exif=exif), "image/jpeg").size == (2, 4)


@pytest.mark.parametrize(
    ("body", "kind", "status", "line"),
    [
        (b"GIF89a", "text/html", 415, "expected a picture as image/png"),
        (b"x", "", 415, "got no content type"),
        (b"no picture", "image/png", 422, "the 10 bytes that came are none"),
        (b"", "image/png", 422, "the 0 bytes that came are none"),
        (encoded(Image.new("RGB", (50, 50)))[:60], "image/png", 422, "expected a whole picture"),
        (encoded(Image.new("RGB", (50, 50)), "TIFF"), "image/png", 422, "are none"),
    ],
)
def test_what_is_no_picture_is_refused_in_one_line(body, kind, status, line):
    with pytest.raises(HTTPException) as caught:
        read_picture(body, kind)
    assert caught.value.status_code == status
    assert line in caught.value.detail
    assert "\n" not in caught.value.detail


def test_a_picture_of_too_many_pixels_is_refused_before_it_is_decoded(monkeypatch):
    monkeypatch.setattr(uploads, "MOST_PIXELS", 99)
    with pytest.raises(HTTPException, match="at most 99 pixels; got 10 x 10"):
        read_picture(encoded(Image.new("RGB", (10, 10))), "image/png")


def test_every_cut_and_flipped_byte_is_a_picture_or_one_line():
    body = encoded(Image.fromarray(np.arange(48, dtype=np.uint8).reshape(4, 4, 3)))
    for place in range(len(body)):
        for damaged in (body[:place], body[:place] + bytes([body[place] ^ 0x41]) + body[place + 1 :]):
            with contextlib.suppress(HTTPException):
                assert read_picture(damaged, "image/png").mode == "RGB"
