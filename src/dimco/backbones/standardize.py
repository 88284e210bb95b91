"""Standardize: the backbone of precomputed embeddings."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from dimco.randomness import generator

_SAMPLE = 65_536
_CHUNK = 4_096


class Standardize(nn.Module):
    """Shift and scale each feature to mean 0 and deviation 1, by statistics fixed before training.

    Parameters
    ----------
    features : int
        Width of the input.

    Attributes
    ----------
    mean, scale : Tensor of shape (features,)
        Set by `fit`; features that never change get scale 1.
    """

    mean: Tensor
    scale: Tensor

    def __init__(self, features: int) -> None:
        super().__init__()
        self.config = {"features": features}
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
        shift = np.asarray(x[rows[0]], dtype=np.float64)
        for start in range(0, len(rows), _CHUNK):
            piece = np.asarray(x[rows[start : start + _CHUNK]], dtype=np.float64) - shift
            total += piece.sum(0)
            squares += np.square(piece).sum(0)
        mean = total / len(rows)
        deviation = np.sqrt(np.maximum(squares / len(rows) - np.square(mean), 0))
        constant = deviation <= 1e-6 * np.maximum(1e-6, np.abs(mean + shift))
        self.mean.copy_(torch.from_numpy(mean + shift))
        self.scale.copy_(torch.from_numpy(np.where(constant, 1.0, deviation)))
        return self

    def forward(self, x: Tensor) -> Tensor:
        return (x - self.mean) / self.scale
