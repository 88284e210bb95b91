"""Backbones: networks in front of the code head, one file each, and the registry that rebuilds them by name."""

from __future__ import annotations

from typing import Any

from torch import nn

from dimco.backbones.conv4 import Conv4
from dimco.backbones.resnet12 import ResNet12
from dimco.backbones.resnet20 import ResNet20
from dimco.backbones.resnet50 import ResNet50
from dimco.backbones.standardize import Standardize
from dimco.errors import InputError

BACKBONES: dict[str, type[nn.Module]] = {
    "standardize": Standardize,
    "conv4": Conv4,
    "resnet12": ResNet12,
    "resnet20": ResNet20,
    "resnet50": ResNet50,
}


def backbone_name(backbone: nn.Module) -> str | None:
    """The name under which a backbone is registered, None for a module of the user's own."""
    return next((name for name, kind in BACKBONES.items() if type(backbone) is kind), None)


def build_backbone(name: str, **config: Any) -> nn.Module:
    """The backbone registered as `name`."""
    if name not in BACKBONES:
        raise InputError(f"expected a backbone of {', '.join(BACKBONES)}; got {name!r}")
    return BACKBONES[name](**config)


__all__ = [
    "BACKBONES",
    "Conv4",
    "ResNet12",
    "ResNet20",
    "ResNet50",
    "Standardize",
    "backbone_name",
    "build_backbone",
]
