"""k-means in torch: centroids of points, and which of them is nearest, for several sets of points at once."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from dimco.errors import InputError

_DISTANCES_AT_ONCE = 1 << 25


class Clusters(NamedTuple):
    """What `kmeans` finds: the centroids (..., k, width) and the nearest one of each point (..., N)."""

    centroids: Tensor
    nearest: Tensor


def kmeans(x: Tensor, k: int, generator: torch.Generator, iterations: int = 25) -> Clusters:
    """Lloyd's algorithm from k of the points, drawn at random; it ends early when no point moves.

    A centroid that loses all its points takes over half of the largest cluster's: it becomes the point of that
    cluster that lies farthest from the centroid.

    Parameters
    ----------
    x : Tensor of shape (N, width) or (sets, N, width)
        At least k points; each set has centroids of its own.
    k : int
    generator : torch.Generator
        Of the CPU.
    iterations : int, default=25
    """
    if x.ndim not in (2, 3) or x.shape[-2] < k:
        raise InputError(f"expected at least {k} points to place {k} centroids; got shape {tuple(x.shape)}")
    if x.ndim == 2:
        of_one = kmeans(x[None], k, generator, iterations)
        return Clusters(of_one.centroids[0], of_one.nearest[0])
    drawn = torch.rand(x.shape[:2], generator=generator).argsort(1)[:, :k].to(x.device)
    centroids = x.gather(1, drawn[..., None].expand(-1, -1, x.shape[2]))
    found = nearest(x, centroids)
    for _ in range(iterations):
        centroids = moved(x, found, centroids)
        after = nearest(x, centroids)
        if torch.equal(after, found):
            break
        found = after
    return Clusters(centroids, found)


def nearest(x: Tensor, centroids: Tensor) -> Tensor:
    """The index of the nearest centroid of each point, (sets, N), or (N,) for one set."""
    if x.ndim == 2:
        return nearest(x[None], centroids[None])[0]
    half_norms = centroids.square().sum(2)[:, None, :] / 2
    step = max(1, _DISTANCES_AT_ONCE // half_norms.numel())
    turned = centroids.transpose(1, 2)
    parts = [torch.baddbmm(half_norms, piece, turned, beta=-1).argmax(2) for piece in x.split(step, dim=1)]
    return torch.cat(parts, dim=1)


def moved(x: Tensor, found: Tensor, centroids: Tensor) -> Tensor:
    """Each centroid as the mean of its points."""
    if x.ndim == 2:
        return moved(x[None], found[None], centroids[None])[0]
    sets, k, width = centroids.shape
    cells = (found + k * torch.arange(sets, device=found.device)[:, None]).flatten()
    counts = torch.bincount(cells, minlength=sets * k).to(x.dtype)
    sums = torch.zeros(sets * k, width, dtype=x.dtype, device=x.device).index_add_(0, cells, x.reshape(-1, width))
    means = (sums / counts.clamp(min=1)[:, None]).view(sets, k, width)
    counts = counts.view(sets, k)
    for place, empty in torch.nonzero(counts == 0).tolist():
        largest = int(counts[place].argmax())
        members = torch.nonzero(found[place] == largest).flatten()
        farthest = members[(x[place, members] - means[place, largest]).square().sum(1).argmax()]
        means[place, empty] = x[place, farthest]
        counts[place, largest] /= 2
    return means
