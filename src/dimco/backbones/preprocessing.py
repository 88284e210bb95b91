"""Preprocessing: what a network's weights expect of an image, kept with the network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from dimco.errors import InputError

if TYPE_CHECKING:
    from PIL.Image import Image

_CHANNELS = 3
_CHUNK = 1_024


@dataclass(frozen=True)
class Preprocessing:
    """From a picture to the numbers a network was trained on.

    Parameters
    ----------
    size : int
        The shorter side is resized to it, bilinear.
    crop : int
        Side of the square that is cut from the middle.
    scale : float
        What a white pixel counts: 255, or 1.
    mean, std : tuple of 3 floats
        Of red, green and blue, in units of `scale`.
    """

    size: int
    crop: int
    scale: float
    mean: tuple[float, float, float]
    std: tuple[float, float, float] = (1.0, 1.0, 1.0)

    def __post_init__(self) -> None:
        if not 1 <= self.crop <= self.size:
            raise InputError(f"expected a crop from 1 to the size {self.size}; got {self.crop}")
        if len(self.mean) != _CHANNELS or len(self.std) != _CHANNELS or min(self.std) <= 0:
            raise InputError(f"expected 3 means and 3 deviations above 0; got {self.mean} and {self.std}")

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Preprocessing:
        """The preprocessing whose fields stand in a record, as JSON keeps them."""
        fields: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in record.items()}
        return cls(**fields)

    @classmethod
    def of_pixels(cls, pixels: NDArray[np.uint8]) -> Preprocessing:
        """That of a network trained from nothing on these pixels, (N, 3, size, size): their means and deviations."""
        if pixels.ndim != 4 or pixels.shape[1] != _CHANNELS or len(pixels) == 0 or pixels.shape[2] != pixels.shape[3]:
            raise InputError(f"expected square images of shape (N, 3, size, size); got shape {pixels.shape}")
        counts = np.zeros((_CHANNELS, 256), np.int64)
        for start in range(0, len(pixels), _CHUNK):
            chunk = pixels[start : start + _CHUNK]
            counts += [np.bincount(chunk[:, channel].ravel(), minlength=256) for channel in range(_CHANNELS)]
        values, total = np.arange(256), counts[0].sum()
        mean = counts @ values / total
        std = np.sqrt(np.maximum(counts @ values**2 / total - mean**2, 1))
        side = pixels.shape[2]
        return cls(side, side, 255.0, _rounded(mean), _rounded(std))

    def cut(self, image: Image) -> Image:
        """The middle square of the resized picture; its pixels are what the network takes."""
        width, height = image.size
        shorter = min(width, height)
        if shorter != self.size:
            from PIL.Image import Resampling

            width, height = (max(self.size, int(self.size * side / shorter)) for side in (width, height))
            image = image.resize((width, height), Resampling.BILINEAR)
        left, top = round((width - self.crop) / 2), round((height - self.crop) / 2)
        return image.crop((left, top, left + self.crop, top + self.crop))


def _rounded(values: NDArray[np.float64]) -> tuple[float, float, float]:
    red, green, blue = (round(float(value), 3) for value in values)
    return red, green, blue


class Pixels(nn.Module):
    """The first layer of a network of images: from pixels 0..255 to the numbers its weights expect.

    Parameters
    ----------
    preprocessing : Preprocessing, its record as JSON, or None
        With None, images are taken as they come.
    """

    scale: Tensor
    shift: Tensor

    def __init__(self, preprocessing: Preprocessing | Mapping[str, Any] | None) -> None:
        super().__init__()
        if isinstance(preprocessing, Mapping):
            preprocessing = Preprocessing.from_record(preprocessing)
        self.preprocessing = preprocessing
        if preprocessing is not None:
            mean, std = (
                torch.tensor(values).view(_CHANNELS, 1, 1) for values in (preprocessing.mean, preprocessing.std)
            )
            self.register_buffer("scale", preprocessing.scale / 255 / std, persistent=False)
            self.register_buffer("shift", mean / std, persistent=False)

    @property
    def record(self) -> dict[str, Any] | None:
        """The preprocessing as JSON."""
        return None if self.preprocessing is None else asdict(self.preprocessing)

    def forward(self, x: Tensor) -> Tensor:
        if x.ndim != 4 or x.shape[1] != _CHANNELS:
            raise InputError(f"expected images of shape (N, 3, height, width); got shape {tuple(x.shape)}")
        return x if self.preprocessing is None else x * self.scale - self.shift
