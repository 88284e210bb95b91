"""Batch norm over a batch that is spread over ranks: the statistics of the whole batch on every rank."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn.modules.batchnorm import _BatchNorm

from dimco.ranks import Processes


@contextmanager
def shared_norms(module: nn.Module, ranks: Processes) -> Iterator[None]:
    """Inside the block, let the batch norms of a module that trains take the statistics of the whole batch."""
    norms = [norm for norm in module.modules() if isinstance(norm, _BatchNorm)] if ranks.count > 1 else []
    for norm in norms:
        cast(Any, norm).forward = partial(_normalised, norm, ranks)
    try:
        yield
    finally:
        for norm in norms:
            del cast(Any, norm).forward


def _normalised(norm: _BatchNorm, ranks: Processes, x: Tensor) -> Tensor:
    if not norm.training:
        plain: Tensor = type(norm).forward(norm, x)
        return plain
    over = [0, *range(2, x.ndim)]
    shape = [1, -1, *[1] * (x.ndim - 2)]
    items = x.numel() // x.shape[1]
    mean = ranks.mean(x.mean(over), items)
    centred = x - mean.view(shape)
    variance = ranks.mean(centred.square().mean(over), items)
    _follow(norm, mean, variance, ranks.sum(torch.tensor(float(items), device=x.device)))
    scaled = centred * (variance + norm.eps).rsqrt().view(shape)
    if norm.affine:
        scaled = scaled * norm.weight.view(shape) + norm.bias.view(shape)
    return scaled


@torch.no_grad()
def _follow(norm: _BatchNorm, mean: Tensor, variance: Tensor, items: Tensor) -> None:
    """Move the running statistics towards those of the batch, as torch does."""
    if not norm.track_running_stats or norm.running_mean is None or norm.running_var is None:
        return
    if norm.num_batches_tracked is not None:
        norm.num_batches_tracked.add_(1)
    share = 1 / float(cast(Tensor, norm.num_batches_tracked)) if norm.momentum is None else norm.momentum
    norm.running_mean.lerp_(mean, share)
    norm.running_var.lerp_(variance * items / (items - 1), share)
