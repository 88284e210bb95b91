"""Distances between all pairs of two sets of vectors, as matrix products, with finite gradients everywhere."""

from __future__ import annotations

from typing import Literal, get_args

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from dimco.errors import InputError

Similarity = Literal["cosine", "euclidean"]


def squared_distances(left: Tensor, right: Tensor) -> Tensor:
    """||a - b||^2 of the rows (..., M, F) and (..., N, F), (..., M, N)."""
    norms = left.square().sum(-1)[..., :, None] + right.square().sum(-1)[..., None, :]
    return norms - 2 * left @ right.transpose(-1, -2)


def distances(left: Tensor, right: Tensor) -> Tensor:
    """||a - b||, with gradient 0 where a and b are the same."""
    squared = squared_distances(left, right)
    return squared.clamp_min(torch.finfo(squared.dtype).eps).sqrt()


def cosines(left: Tensor, right: Tensor) -> Tensor:
    """The cosine of the angle of the rows (..., M, F) and (..., N, F), (..., M, N)."""
    return F.normalize(left, dim=-1) @ F.normalize(right, dim=-1).transpose(-1, -2)


def checked_similarity(name: str) -> None:
    """Raise `InputError` unless a similarity has that name."""
    if name not in get_args(Similarity):
        raise InputError(f'expected similarity "cosine" or "euclidean"; got {name!r}')
