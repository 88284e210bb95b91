"""Random parts of pictures, resized: the crop that networks of ImageNet are trained with, on the device."""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

_LONGEST = 4 / 3


class ResizedCrop:
    """From pixels (N, 3, H, W) to the pixels, float (N, 3, size, size), of a rectangle drawn for each picture.

    Its share of the picture's area is uniform from `least_area` to 1, the logarithm of its sides' ratio uniform
    between 3:4 and 4:3, its place uniform; every other one is mirrored. Bilinear.

    Parameters
    ----------
    size : int
    least_area : float
    """

    def __init__(self, size: int, least_area: float) -> None:
        self.size, self.least_area = size, least_area

    def __call__(self, pixels: Tensor, generator: torch.Generator | None = None) -> Tensor:
        n, device = len(pixels), pixels.device
        area, ratio, across, down, mirror = torch.rand(5, n, generator=generator, device=device)
        area = self.least_area + (1 - self.least_area) * area
        stretch = torch.exp((2 * ratio - 1) * math.log(_LONGEST) / 2)
        width, height = (area.sqrt() * stretch).clamp(max=1), (area.sqrt() / stretch).clamp(max=1)
        theta = torch.zeros(n, 2, 3, device=device)
        theta[:, 0, 0] = torch.where(mirror < 0.5, -width, width)
        theta[:, 1, 1] = height
        theta[:, 0, 2] = (1 - width) * (2 * across - 1)
        theta[:, 1, 2] = (1 - height) * (2 * down - 1)
        grid = F.affine_grid(theta, [n, pixels.shape[1], self.size, self.size], align_corners=False)
        return F.grid_sample(pixels.float(), grid, padding_mode="border", align_corners=False)
