"""The optimizer of a run, with a learning rate that moves, and shares of it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from dimco.training.config import TrainingConfig


def build_optimizer(
    model: nn.Module, objective: nn.Module, backbone: nn.Module, config: TrainingConfig
) -> torch.optim.Optimizer:
    """Adam or SGD over the weights of a model and its objective, in groups of one learning rate each.

    The backbone takes `config.backbone_lr` times the rate, and an objective that has an `lr_factor` that many times.
    On a CUDA device the optimizer is fused, and for a captured step its learning rates are tensors on the device, so
    that a recorded step reads the rate of the day.
    """
    shares = dict.fromkeys(objective.parameters(), float(getattr(objective, "lr_factor", 1.0)))
    shares |= dict.fromkeys(backbone.parameters(), config.backbone_lr)
    weights = list(dict.fromkeys([*model.parameters(), *objective.parameters()]))
    device = weights[0].device
    groups: list[dict[str, Any]] = []
    for share in dict.fromkeys(shares.get(weight, 1.0) for weight in weights):
        members = [weight for weight in weights if shares.get(weight, 1.0) == share]
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
