"""Conv4: the four-layer convolutional network of few-shot learning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn

from dimco.backbones.convolution import convolution
from dimco.backbones.image_size import check_images, check_size
from dimco.backbones.preprocessing import Pixels, Preprocessing

_WIDTH = 64


class Conv4(nn.Module):
    """From square images (N, 3, size, size) to features: four times convolution, batch norm, ReLU, max-pool.

    The features are the last maps, flattened: 1,600 of an image of 84 x 84, 256 of one of 32 x 32.

    Parameters
    ----------
    size : int, default=84
        Side of the images, at least 16.
    preprocessing : Preprocessing or its record, optional
        The network then takes pixels 0..255. Without it, images are taken as they come.

    Attributes
    ----------
    out_features : int
        Width of the output.

    References
    ----------
    Snell, Swersky, Zemel. Prototypical Networks for Few-shot Learning. NeurIPS 2017 (arXiv 1703.05175), section 3.
    """

    def __init__(self, size: int = 84, preprocessing: Preprocessing | Mapping[str, Any] | None = None) -> None:
        super().__init__()
        self.size = check_size(size)
        self.pixels = Pixels(preprocessing)
        self.config = {"size": size, "preprocessing": self.pixels.record}
        self.out_features = _WIDTH * (size // 16) ** 2
        widths = (3, _WIDTH, _WIDTH, _WIDTH)
        self.blocks = nn.Sequential(*(_block(inputs) for inputs in widths))

    def forward(self, x: Tensor) -> Tensor:
        check_images(x, self.size)
        features: Tensor = self.blocks(self.pixels(x)).flatten(1)
        return features


def _block(inputs: int) -> nn.Sequential:
    return nn.Sequential(convolution(inputs, _WIDTH, 3), nn.BatchNorm2d(_WIDTH), nn.ReLU(inplace=True), nn.MaxPool2d(2))
