"""Standardize: the backbone of precomputed embeddings."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from dimco.backbones.power import checked_power, signed_power
from dimco.randomness import generator

_SAMPLE = 65_536
_CHUNK = 4_096


class Standardize(nn.Module):
    """Shift and scale each feature to mean 0 and deviation 1, by statistics fixed before training.

    Parameters
    ----------
    features : int
        Width of the input.
    power : float, default=1.0
        Exponent of the size of each feature before: 1/2 suits features that follow a ReLU.

    Attributes
    ----------
    mean, scale : Tensor of shape (features,)
        Set by `fit`; features that never change get scale 1.
    """

    mean: Tensor
    scale: Tensor

    def __init__(self, features: int, power: float = 1.0) -> None:
        super().__init__()
        self.power = checked_power(power)
        self.config = {"features": features, **({} if power == 1 else {"power": power})}
        self.register_buffer("mean", torch.zeros(features))
        self.register_buffer("scale", torch.ones(features))

    def fit(self, x: Any, seed: int = 0) -> Standardize:
        """Take the statistics from the rows of `x`, or from 65,536 of them if there are more.

        Rows are read in small sorted pieces, so `x` may be a memory-mapped array.
        """
        rows = np.arange(len(x))
        if len(x) > _SAMPLE:
            rows = np.sort(generator(seed, "statistics").choice(len(x), _SAMPLE, replace=False))
        total = np.zeros(self.mean.shape[0])
        squares = np.zeros_like(total)
        shift = self._powered(x[rows[0]])
        for start in range(0, len(rows), _CHUNK):
            piece = self._powered(x[rows[start : start + _CHUNK]]) - shift
            total += piece.sum(0)
            squares += np.square(piece).sum(0)
        mean = total / len(rows)
        deviation = np.sqrt(np.maximum(squares / len(rows) - np.square(mean), 0))
        constant = deviation <= 1e-6 * np.maximum(1e-6, np.abs(mean + shift))
        self.mean.copy_(torch.from_numpy(mean + shift))
        self.scale.copy_(torch.from_numpy(np.where(constant, 1.0, deviation)))
        return self

    def forward(self, x: Tensor) -> Tensor:
        return (signed_power(x, self.power) - self.mean) / self.scale

    def _powered(self, x: Any) -> NDArray[np.float64]:
        rows = np.asarray(x, dtype=np.float64)
        if self.power == 1:
            return rows
        powered: NDArray[np.float64] = signed_power(torch.from_numpy(rows.copy()), self.power).numpy()
        return powered
