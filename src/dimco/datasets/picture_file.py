"""Single pictures in files: photos to search with, as their camera held them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dimco.datasets.image_folder import SUFFIXES
from dimco.errors import DamagedFileError, InputError, MissingFileError
from dimco.extras import require

if TYPE_CHECKING:
    from PIL.Image import Image


def names_pictures(source: Path) -> bool:
    """Whether a path is a folder or is named as a picture is."""
    return source.is_dir() or source.suffix.lower() in SUFFIXES


def picture_files(sources: Sequence[Path]) -> list[Path]:
    """The pictures named, each folder replaced by all pictures in it and below it, in the order of their names.

    Hidden files and folders are passed over.
    """
    files = [file for source in sources for file in (_below(source) if source.is_dir() else [source])]
    missing = next((file for file in files if not file.exists()), None)
    if missing is not None:
        raise MissingFileError(f"no such file: {missing}")
    return files


def read_picture(file: Path) -> Image:
    """The RGB picture in a file, turned as its camera was held, on white where it is transparent."""
    pillow = require("PIL.Image")
    damages = (OSError, ValueError, SyntaxError, EOFError, IndexError, pillow.DecompressionBombError)
    try:
        with pillow.open(file) as image:
            return upright_on_white(image)
    except damages as error:
        reason = "it is no image that Pillow knows" if isinstance(error, pillow.UnidentifiedImageError) else error
        raise DamagedFileError(f"{file} cannot be read as an image: {reason}") from error


def upright_on_white(image: Image) -> Image:
    """A decoded picture in RGB, turned as its camera was held, on white where it is transparent."""
    pillow, operations = require("PIL.Image"), require("PIL.ImageOps")
    turned = operations.exif_transpose(image).convert("RGBA")
    white: Image = pillow.new("RGBA", turned.size, "white")
    white.alpha_composite(turned)
    return white.convert("RGB")


def _below(folder: Path) -> list[Path]:
    files = sorted(_visible(folder))
    if not files:
        raise InputError(f"expected images ({', '.join(SUFFIXES)}) in {folder}; got none")
    return files


def _visible(folder: Path) -> Iterator[Path]:
    for file in folder.rglob("*"):
        hidden = any(part.startswith(".") for part in file.relative_to(folder).parts)
        if file.suffix.lower() in SUFFIXES and not hidden and file.is_file():
            yield file
