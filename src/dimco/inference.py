"""What a network gives for many items: in evaluation mode, without gradients, a batch at a time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from dimco.inputs import check_finite, check_shape, float_tensor


def batch_outputs(
    module: nn.Module, x: Any, batch_size: int, device: torch.device, features: int | None = None
) -> Iterator[Tensor]:
    """The module's output for each batch of rows, on the device; afterwards the module is in the mode it was in.

    Parameters
    ----------
    module : nn.Module
    x : array, memory-mapped array or Tensor of shape (N, ...)
        Read a batch at a time.
    batch_size : int
    device : torch.device
        Where the module is.
    features : int, optional
        Width that rows must have.
    """
    if not isinstance(x, Tensor):
        x = np.asanyarray(x)
    check_shape(x, features)
    modes = [(part, part.training) for part in module.modules()]
    module.eval()
    try:
        with torch.inference_mode():
            for start in range(0, len(x), batch_size):
                rows = x[start : start + batch_size]
                check_finite(rows, start)
                yield module(float_tensor(rows, device))
    finally:
        for part, training in modes:
            part.training = training
