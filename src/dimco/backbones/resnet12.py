"""ResNet-12: the residual network of few-shot learning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from dimco.backbones.convolution import convolution
from dimco.backbones.drop_block import DropBlock
from dimco.backbones.image_size import check_images, check_size
from dimco.backbones.preprocessing import Pixels, Preprocessing
from dimco.errors import InputError

_WIDTHS = (64, 160, 320, 640)
_PLAIN_DROPOUT = 2
_SLOPE = 0.1


class ResNet12(nn.Module):
    """From square images (N, 3, size, size) to features: four residual blocks of 64, 160, 320 and 640 channels.

    A block is three 3x3 convolutions with batch norm and a 1x1 shortcut, LeakyReLU of slope 0.1, and a max-pool that
    halves the image. The first two blocks end in dropout, the last two in DropBlock.

    Parameters
    ----------
    size : int, default=84
        Side of the images, at least 16.
    pooled : bool, default=True
        Whether the features are the means of the last maps, 640, or the maps themselves, flattened: 16,000 of an
        image of 84 x 84, 2,560 of one of 32 x 32.
    drop_block : int, optional
        Side of the squares that DropBlock drops; the side of the last maps by default, 5 at 84 and 2 at 32.
    dropout : float, default=0.1
        Rate of dropout and of DropBlock.
    preprocessing : Preprocessing or its record, optional
        The network then takes pixels 0..255. Without it, images are taken as they come.

    Attributes
    ----------
    out_features : int
        Width of the output.

    References
    ----------
    Lee, Maji, Ravichandran, Soatto. Meta-Learning with Differentiable Convex Optimization. CVPR 2019
    (arXiv 1904.03758), section 4.1.
    """

    def __init__(
        self,
        size: int = 84,
        pooled: bool = True,
        drop_block: int | None = None,
        dropout: float = 0.1,
        preprocessing: Preprocessing | Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__()
        self.size, self.pooled = check_size(size), pooled
        if not 0 <= dropout < 1:
            raise InputError(f"expected dropout from 0 to below 1; got {dropout}")
        side = size // 16
        self.pixels = Pixels(preprocessing)
        self.config = {
            "size": size,
            "pooled": pooled,
            "drop_block": drop_block,
            "dropout": dropout,
            "preprocessing": self.pixels.record,
        }
        self.out_features = _WIDTHS[-1] * (1 if pooled else side**2)
        self.blocks = nn.Sequential()
        for number, (inputs, outputs) in enumerate(zip((3, *_WIDTHS[:-1]), _WIDTHS, strict=True)):
            plain = number < _PLAIN_DROPOUT
            drop = nn.Dropout(dropout) if plain else DropBlock(dropout, side if drop_block is None else drop_block)
            self.blocks.append(_Block(inputs, outputs, drop))

    def forward(self, x: Tensor) -> Tensor:
        check_images(x, self.size)
        maps: Tensor = self.blocks(self.pixels(x))
        return maps.mean((2, 3)) if self.pooled else maps.flatten(1)


class _Block(nn.Module):
    """Three 3x3 convolutions and a 1x1 shortcut, then max-pool and dropout."""

    def __init__(self, inputs: int, outputs: int, drop: nn.Module) -> None:
        super().__init__()
        self.conv1, self.norm1 = convolution(inputs, outputs, 3), nn.BatchNorm2d(outputs)
        self.conv2, self.norm2 = convolution(outputs, outputs, 3), nn.BatchNorm2d(outputs)
        self.conv3, self.norm3 = convolution(outputs, outputs, 3), nn.BatchNorm2d(outputs)
        self.shortcut = nn.Sequential(convolution(inputs, outputs, 1), nn.BatchNorm2d(outputs))
        self.drop = drop

    def forward(self, x: Tensor) -> Tensor:
        inner = F.leaky_relu(self.norm1(self.conv1(x)), _SLOPE, inplace=True)
        inner = F.leaky_relu(self.norm2(self.conv2(inner)), _SLOPE, inplace=True)
        inner = F.leaky_relu(self.norm3(self.conv3(inner)) + self.shortcut(x), _SLOPE, inplace=True)
        dropped: Tensor = self.drop(F.max_pool2d(inner, 2))
        return dropped
