"""Random crops, colours and mirror images of pixels, each image its own, on the device the pixels are on."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from dimco.errors import InputError

_GREY = (0.299, 0.587, 0.114)
_WHITE = 255.0


class Draws(NamedTuple):
    """What was drawn for each of N images.

    Attributes
    ----------
    top, left : Tensor of shape (N,), int64
        Corner of the crop, in the image with its border.
    mirrored : Tensor of shape (N,), bool
    brightness, contrast, saturation : Tensor of shape (N,)
        Factors; 1 changes nothing.
    """

    top: Tensor
    left: Tensor
    mirrored: Tensor
    brightness: Tensor
    contrast: Tensor
    saturation: Tensor


class Augmentation:
    """From pixels (N, 3, height, width) to other pixels 0..255 of the same images, float (N, 3, size, size).

    A crop of the image with a black border, then brightness, contrast and saturation, in this order, then a mirror
    image every other time. Everything is drawn on the device of the pixels, and nothing waits for the device.

    Parameters
    ----------
    size : int
        Side of the crop.
    padding : int, default=0
        Width of the border.
    jitter : float, default=0.0
        Brightness, contrast and saturation are multiplied by factors drawn between 1 - jitter and 1 + jitter.
    flip : bool, default=True
    """

    def __init__(self, size: int, padding: int = 0, jitter: float = 0.0, flip: bool = True) -> None:
        if size < 1 or padding < 0:
            raise InputError(f"expected a size of at least 1 and a padding of at least 0; got {size} and {padding}")
        if not 0 <= jitter <= 1:
            raise InputError(f"expected a jitter from 0 to 1; got {jitter}")
        self.size, self.padding, self.jitter, self.flip = size, padding, jitter, flip
        self.config = {"size": size, "padding": padding, "jitter": jitter, "flip": flip}

    def __call__(self, pixels: Tensor, generator: torch.Generator | None = None) -> Tensor:
        """New pixels, by numbers from the generator of the device, or its global one."""
        return self.apply(pixels, self.draw(pixels, generator))

    def draw(self, pixels: Tensor, generator: torch.Generator | None = None) -> Draws:
        """Numbers for a batch of images."""
        images, device = len(pixels), pixels.device
        rows, columns = self._room(pixels, self.padding)

        def places(room: int) -> Tensor:
            return torch.randint(0, room + 1, (images,), generator=generator, device=device)

        def factors() -> Tensor:
            unit = torch.rand(images, generator=generator, device=device)
            return 1 + self.jitter * (2 * unit - 1)

        mirrored = torch.rand(images, generator=generator, device=device) < (0.5 if self.flip else 0.0)
        return Draws(places(rows), places(columns), mirrored, factors(), factors(), factors())

    def apply(self, pixels: Tensor, draws: Draws) -> Tensor:
        """The pixels that the drawn numbers make."""
        self._room(pixels, self.padding)
        cut = self._cut(pixels, draws.top - self.padding, draws.left - self.padding, draws.mirrored)
        if self.jitter == 0:
            return cut
        cut = (cut * _one_an_image(draws.brightness)).clamp(0, _WHITE)
        cut = _blend(cut, _grey(cut).mean((2, 3), keepdim=True), draws.contrast)
        return _blend(cut, _grey(cut), draws.saturation)

    def centre(self, pixels: Tensor) -> Tensor:
        """What evaluation takes: the middle of each image, as it is, as floats."""
        rows, columns = self._room(pixels, 0)
        top, left = rows // 2, columns // 2
        return pixels[:, :, top : top + self.size, left : left + self.size].float()

    def _room(self, pixels: Tensor, padding: int) -> tuple[int, int]:
        """How far the crop can move down and to the right."""
        height, width = pixels.shape[2:]
        if min(height, width) + 2 * padding < self.size:
            raise InputError(f"expected images to cut {self.size} x {self.size} from; got {height} x {width}")
        return height + 2 * padding - self.size, width + 2 * padding - self.size

    def _cut(self, pixels: Tensor, top: Tensor, left: Tensor, mirrored: Tensor) -> Tensor:
        height, width = pixels.shape[2:]
        side = torch.arange(self.size, device=pixels.device)
        rows = top[:, None] + side
        columns = left[:, None] + torch.where(mirrored[:, None], self.size - 1 - side, side)
        inside = ((rows >= 0) & (rows < height))[:, :, None] & ((columns >= 0) & (columns < width))[:, None, :]
        images = torch.arange(len(pixels), device=pixels.device)[:, None, None, None]
        channels = torch.arange(pixels.shape[1], device=pixels.device)[None, :, None, None]
        rows, columns = rows.clamp(0, height - 1), columns.clamp(0, width - 1)
        cut = pixels[images, channels, rows[:, None, :, None], columns[:, None, None, :]]
        return cut.float() * inside[:, None]


def _one_an_image(factors: Tensor) -> Tensor:
    return factors[:, None, None, None]


def _grey(pixels: Tensor) -> Tensor:
    red, green, blue = (weight * pixels[:, channel : channel + 1] for channel, weight in enumerate(_GREY))
    return red + green + blue


def _blend(pixels: Tensor, other: Tensor, factors: Tensor) -> Tensor:
    """From `other` at factor 0 over the pixels at 1 and on, within 0..255."""
    return torch.lerp(other.expand_as(pixels), pixels, _one_an_image(factors)).clamp(0, _WHITE)
