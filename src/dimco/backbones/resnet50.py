"""ResNet50: the residual network of ImageNet, as published and as it is mostly trained today."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from dimco.backbones.convolution import convolution
from dimco.backbones.preprocessing import Pixels, Preprocessing
from dimco.errors import InputError

StridePlace = Literal["1x1", "3x3"]
Pooling = Literal["mean", "mean+max"]
_EXPANSION = 4
_STAGES = ((64, 3), (128, 4), (256, 6), (512, 3))


class ResNet50(nn.Module):
    """From images (N, 3, height, width), mostly 224 x 224, to 2,048 features.

    Parameters and buffers have torchvision's names.

    Parameters
    ----------
    stride_on : {"3x3", "1x1"}, default="3x3"
        The convolution that halves the image at the start of a stage. "1x1", the first of the block, is the network
        as published ("v1"); "3x3" is the variant that torchvision trains ("v1.5").
    eps : float, default=1e-5
        Of every batch normalisation.
    preprocessing : Preprocessing or its record, optional
        What the weights expect; the network then takes pixels 0..255. Without it, images are taken as they come.
    pooling : {"mean", "mean+max"}, default="mean"
        How the last maps become features: their mean, as trained for ImageNet, or that plus their largest value,
        which metric learning often takes.

    Attributes
    ----------
    out_features : int
        Width of the output.

    Notes
    -----
    Trained with its batch normalisation in evaluation mode ("frozen"), each convolution takes the normalisation into
    its weights, which saves a pass over the maps and computes the same.

    References
    ----------
    He, Zhang, Ren, Sun. Deep Residual Learning for Image Recognition. 2015 (arXiv 1512.03385), table 1.
    """

    out_features = _STAGES[-1][0] * _EXPANSION

    def __init__(
        self,
        stride_on: StridePlace = "3x3",
        eps: float = 1e-5,
        preprocessing: Preprocessing | Mapping[str, Any] | None = None,
        pooling: Pooling = "mean",
    ) -> None:
        super().__init__()
        if stride_on not in get_args(StridePlace):
            raise InputError(f"expected the stride on 1x1 or 3x3; got {stride_on!r}")
        if pooling not in get_args(Pooling):
            raise InputError(f"expected pooling mean or mean+max; got {pooling!r}")
        self.pixels = Pixels(preprocessing)
        self.pooling = pooling
        self.config = {"stride_on": stride_on, "eps": eps, "preprocessing": self.pixels.record, "pooling": pooling}
        self.conv1, self.bn1 = convolution(3, 64, 7, 2), nn.BatchNorm2d(64, eps)
        self.maxpool = nn.MaxPool2d(3, 2, padding=1)
        inputs = 64
        for number, (width, depth) in enumerate(_STAGES, start=1):
            stage = nn.Sequential()
            for place in range(depth):
                stride = 2 if number > 1 and place == 0 else 1
                stage.append(_Bottleneck(inputs, width, stride, stride_on, eps))
                inputs = width * _EXPANSION
            self.add_module(f"layer{number}", stage)

    def forward(self, x: Tensor) -> Tensor:
        maps = self.maxpool(_convolved(self.pixels(x), self.conv1, self.bn1).relu_())
        for number in range(1, len(_STAGES) + 1):
            maps = self.get_submodule(f"layer{number}")(maps)
        features: Tensor = maps.mean((2, 3))
        return features + maps.amax((2, 3)) if self.pooling == "mean+max" else features


class _Bottleneck(nn.Module):
    """1x1 down, 3x3, 1x1 up, and a shortcut."""

    def __init__(self, inputs: int, width: int, stride: int, stride_on: StridePlace, eps: float) -> None:
        super().__init__()
        outputs = width * _EXPANSION
        first, second = (stride, 1) if stride_on == "1x1" else (1, stride)
        self.conv1, self.bn1 = convolution(inputs, width, 1, first), nn.BatchNorm2d(width, eps)
        self.conv2, self.bn2 = convolution(width, width, 3, second), nn.BatchNorm2d(width, eps)
        self.conv3, self.bn3 = convolution(width, outputs, 1), nn.BatchNorm2d(outputs, eps)
        self.downsample = nn.Sequential()
        if inputs != outputs:
            self.downsample = nn.Sequential(convolution(inputs, outputs, 1, stride), nn.BatchNorm2d(outputs, eps))

    def forward(self, x: Tensor) -> Tensor:
        inner = _convolved(x, self.conv1, self.bn1).relu_()
        inner = _convolved(inner, self.conv2, self.bn2).relu_()
        inner = _convolved(inner, self.conv3, self.bn3)
        shortcut = _convolved(x, *self.downsample) if len(self.downsample) else x
        return (inner + shortcut).relu_()


def _convolved(x: Tensor, layer: nn.Conv2d, norm: nn.BatchNorm2d) -> Tensor:
    """norm(layer(x)); in training with fixed statistics, as one convolution."""
    if norm.training or not torch.is_grad_enabled() or norm.running_mean is None or norm.running_var is None:
        maps: Tensor = norm(layer(x))
        return maps
    factor = norm.weight * torch.rsqrt(norm.running_var + norm.eps)
    shift = norm.bias - norm.running_mean * factor
    return F.conv2d(x, layer.weight * factor[:, None, None, None], shift, layer.stride, layer.padding)
