"""Pretrained backbones: which network, names and preprocessing belong to each known kind of weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torch import nn

from dimco.backbones.preprocessing import Preprocessing
from dimco.backbones.resnet20 import ResNet20
from dimco.backbones.resnet50 import ResNet50
from dimco.backbones.weights import load_weights
from dimco.errors import InputError

_RESNET20_NAMES = {"blocks": "body", "conv1": "c1", "norm1": "b1", "conv2": "c2", "norm2": "b2", "shortcut": "sc"}


def _resnet20_name(name: str) -> str:
    return ".".join(_RESNET20_NAMES.get(part, part) for part in name.split("."))


@dataclass(frozen=True)
class Pretrained:
    """A kind of weights files, and how to make the network they belong to."""

    network: Callable[..., nn.Module]
    preprocessing: Preprocessing
    classes: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    name_in_file: Callable[[str], str] = str


PRETRAINED: dict[str, Pretrained] = {
    "resnet20-cifar10": Pretrained(
        ResNet20,
        Preprocessing(32, 32, 255.0, (125.307, 122.950, 113.865), (62.993, 62.089, 66.705)),
        classes=10,
        name_in_file=_resnet20_name,
    ),
    "resnet20-cifar100": Pretrained(
        ResNet20,
        Preprocessing(32, 32, 255.0, (129.304, 124.070, 112.434), (68.170, 65.392, 70.418)),
        classes=100,
        name_in_file=_resnet20_name,
    ),
    "resnet50": Pretrained(ResNet50, Preprocessing(256, 224, 1.0, (0.485, 0.456, 0.406), (0.229, 0.224, 0.225))),
    "resnet50-v1": Pretrained(
        ResNet50, Preprocessing(256, 224, 255.0, (123.68, 116.779, 103.939)), options={"stride_on": "1x1", "eps": 1e-3}
    ),
}
"""`resnet20-cifar10` and `resnet20-cifar100` take means and deviations of their training sets; `resnet50` is
torchvision's; `resnet50-v1` has the layout as published, with centred pixels 0..255."""


def load_pretrained(name: str, weights: str | Path) -> nn.Module:
    """The network of a known kind of weights, with the weights of a file and their preprocessing, to evaluate.

    It takes pixels 0..255 of images that its `preprocessing` has cut.

    Parameters
    ----------
    name : str
        A key of `PRETRAINED`.
    weights : str or Path
        `.safetensors`, or a state dict in `.pt` or `.pth`.
    """
    if name not in PRETRAINED:
        raise InputError(f"expected a pretrained backbone of {', '.join(PRETRAINED)}; got {name!r}")
    kind = PRETRAINED[name]
    network = kind.network(preprocessing=kind.preprocessing, **kind.options)
    load_weights(network, weights, kind.name_in_file, kind.classes)
    return network.eval()
