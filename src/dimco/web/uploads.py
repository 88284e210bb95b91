"""Pictures that come from outside: what is accepted, and one clear line for what is not."""

from __future__ import annotations

import io

from fastapi import HTTPException
from PIL import Image, UnidentifiedImageError

from dimco.datasets.picture_file import upright_on_white

FORMATS = {"image/png": "PNG", "image/jpeg": "JPEG", "image/webp": "WEBP", "image/bmp": "BMP", "image/gif": "GIF"}
MOST_PIXELS = 40_000_000
_DAMAGES = (OSError, ValueError, SyntaxError, EOFError, IndexError, Image.DecompressionBombError)


def read_picture(body: bytes, content_type: str) -> Image.Image:
    """The picture in the body of a request, turned as its camera was held, on white where it is transparent."""
    kind = content_type.partition(";")[0].strip().lower()
    if kind not in FORMATS:
        expected = ", ".join(FORMATS)
        raise HTTPException(415, f"expected a picture as {expected}; got {kind[:80] or 'no content type'}")
    try:
        with Image.open(io.BytesIO(body), formats=list(FORMATS.values())) as image:
            if image.width * image.height > MOST_PIXELS:
                size = f"{image.width} x {image.height}"
                raise HTTPException(422, f"expected a picture of at most {MOST_PIXELS:,} pixels; got {size}")
            return upright_on_white(image)
    except UnidentifiedImageError:
        raise HTTPException(422, f"expected a picture; the {len(body):,} bytes that came are none") from None
    except _DAMAGES as error:
        reason = " ".join(str(error).split())[:120]
        raise HTTPException(422, f"expected a whole picture; this one cannot be read: {reason}") from None
