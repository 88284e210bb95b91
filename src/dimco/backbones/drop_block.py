"""DropBlock: dropout of whole squares of a feature map."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from dimco.errors import InputError


class DropBlock(nn.Module):
    """In training, set squares of each map to zero and scale up the rest; in evaluation, do nothing.

    The corners of the squares are drawn, each map its own, where a whole square fits, at a rate that drops about
    `rate` of the map. The rate climbs from 0 along a line over the first `ramp` batches. What is left is scaled by
    one number, so that the sum of the batch's mask stays.

    Parameters
    ----------
    rate : float, default=0.1
        Share of the map that is dropped in the end.
    block : int, default=5
        Side of a square; a map that is smaller is dropped as a whole.
    ramp : int, default=40000
        Batches until the rate is reached; 0 for the full rate at once.

    Attributes
    ----------
    batches : Tensor, int64
        Batches seen in training, on which the rate depends.

    References
    ----------
    Ghiasi, Lin, Le. DropBlock: A regularization method for convolutional networks. NeurIPS 2018 (arXiv 1810.12890),
    algorithm 1.
    """

    batches: Tensor

    def __init__(self, rate: float = 0.1, block: int = 5, ramp: int = 40_000) -> None:
        super().__init__()
        if not 0 <= rate < 1:
            raise InputError(f"expected a rate from 0 to below 1; got {rate}")
        if block < 1 or ramp < 0:
            raise InputError(f"expected a block of at least 1 and a ramp of at least 0; got {block} and {ramp}")
        self.rate, self.block, self.ramp = rate, block, ramp
        self.register_buffer("batches", torch.zeros((), dtype=torch.int64))

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or self.rate == 0:
            return x
        self.batches += 1
        height, width = x.shape[2:]
        block = min(self.block, height, width)
        places = height - block + 1, width - block + 1
        corner_rate = self._current_rate() / block**2 * (height * width) / (places[0] * places[1])
        corners = torch.rand(*x.shape[:2], *places, device=x.device) < corner_rate
        kept = 1 - spread(corners.to(x.dtype), block)
        return x * kept * (kept.numel() / kept.sum(dtype=torch.float32).clamp_min(1)).to(x.dtype)

    def _current_rate(self) -> Tensor:
        reached = self.batches / self.ramp if self.ramp else torch.ones_like(self.batches, dtype=torch.float32)
        return self.rate * reached.clamp(max=1)


def spread(corners: Tensor, block: int) -> Tensor:
    """1 on every square of side `block` whose upper left corner is 1; maps grow by block - 1."""
    return F.max_pool2d(F.pad(corners, [block - 1] * 4), block, stride=1)
