"""ResNet20: the residual network of CIFAR."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from dimco.backbones.convolution import convolution
from dimco.backbones.preprocessing import Pixels, Preprocessing

_WIDTHS = (16, 16, 16, 32, 32, 32, 64, 64, 64)


class ResNet20(nn.Module):
    """From images (N, 3, 32, 32) to 64 features: a stem, nine blocks of 16, 32 and 64 channels, a mean.

    Where the width changes, the shortcut is a 1x1 convolution (the paper's option B).

    Parameters
    ----------
    preprocessing : Preprocessing or its record, optional
        What the weights expect; the network then takes pixels 0..255. Without it, images are taken as they come.

    Attributes
    ----------
    out_features : int
        Width of the output.

    References
    ----------
    He, Zhang, Ren, Sun. Deep Residual Learning for Image Recognition. 2015 (arXiv 1512.03385), section 4.2.
    """

    out_features = _WIDTHS[-1]

    def __init__(self, preprocessing: Preprocessing | Mapping[str, Any] | None = None) -> None:
        super().__init__()
        self.pixels = Pixels(preprocessing)
        self.config = {"preprocessing": self.pixels.record}
        self.stem = nn.Sequential(convolution(3, _WIDTHS[0], 3), nn.BatchNorm2d(_WIDTHS[0]))
        before = (_WIDTHS[0], *_WIDTHS[:-1])
        self.blocks = nn.Sequential(*(_Block(*widths) for widths in zip(before, _WIDTHS, strict=True)))

    def forward(self, x: Tensor) -> Tensor:
        maps: Tensor = self.blocks(torch.relu(self.stem(self.pixels(x))))
        return maps.mean((2, 3))


class _Block(nn.Module):
    """Two 3x3 convolutions and a shortcut; a new width halves the image."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        stride = 1 if inputs == outputs else 2
        self.conv1, self.norm1 = convolution(inputs, outputs, 3, stride), nn.BatchNorm2d(outputs)
        self.conv2, self.norm2 = convolution(outputs, outputs, 3), nn.BatchNorm2d(outputs)
        self.shortcut = nn.Sequential()
        if stride != 1:
            self.shortcut = nn.Sequential(convolution(inputs, outputs, 1, stride), nn.BatchNorm2d(outputs))

    def forward(self, x: Tensor) -> Tensor:
        inner = self.norm2(self.conv2(torch.relu(self.norm1(self.conv1(x)))))
        return torch.relu(inner + self.shortcut(x))
