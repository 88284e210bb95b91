"""The optimizer of a run, with a learning rate that moves and one of the backbone's own."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from dimco.training.config import TrainingConfig


def build_optimizer(trained: nn.Module, backbone: nn.Module, config: TrainingConfig) -> torch.optim.Optimizer:
    """Adam or SGD over the weights of `trained`, those of `backbone` in a group of their own if their rate differs.

    On a CUDA device the optimizer is fused, and for a captured step its learning rates are tensors on the device,
    so that a recorded step reads the rate of the day.
    """
    weights = list(trained.parameters())
    device = weights[0].device
    apart = {id(weight) for weight in backbone.parameters()} if config.backbone_lr != 1 else set()
    groups: list[dict[str, Any]] = []
    for share, in_backbone in ((config.backbone_lr, True), (1.0, False)):
        members = [weight for weight in weights if (id(weight) in apart) is in_backbone]
        if members:
            rate = torch.tensor(config.lr * share, device=device) if config.captured else config.lr * share
            groups.append({"params": members, "share": share, "lr": rate})
    on_cuda = device.type == "cuda"
    options: dict[str, Any] = {"weight_decay": config.weight_decay, "fused": True if on_cuda else None}
    if config.optimizer == "sgd":
        return torch.optim.SGD(groups, momentum=config.momentum, nesterov=config.momentum > 0, **options)
    return torch.optim.Adam(groups, capturable=on_cuda and config.captured, **options)


def set_learning_rate(optimizer: torch.optim.Optimizer, rate: Any) -> None:
    """Give each group its share of the rate, a number, or a tensor where the rates are tensors."""
    for group in optimizer.param_groups:
        if isinstance(group["lr"], Tensor):
            group["lr"].copy_(rate * group["share"])
        else:
            group["lr"] = rate * group["share"]
