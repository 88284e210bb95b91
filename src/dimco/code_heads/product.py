"""Where a distance head starts: optimized product quantization of features."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from dimco.errors import InputError
from dimco.kmeans import kmeans, moved, nearest
from dimco.spec import CodeSpec


class Projection(NamedTuple):
    """z = weight @ x + bias, (width, features) and (width,)."""

    weight: Tensor
    bias: Tensor


class ProductCode(NamedTuple):
    """A product quantizer of the rotated rows z @ rotation.

    Attributes
    ----------
    rotation : Tensor of shape (width, width)
    centroids : Tensor of shape (d, k, width / d)
    error : float
        Mean squared distance of a coordinate from its centroid.
    """

    rotation: Tensor
    centroids: Tensor
    error: float


def projection_of(x: Tensor, d: int, width: int, rotated: bool = True, whitening: float = 0.0) -> Projection:
    """To centred coordinates with variance 1 in their mean, whatever the scale of the features.

    Parameters
    ----------
    x : Tensor of shape (N, features)
    d : int
        Positions; at most the features.
    width : int
        Of z, a multiple of d. Where it is less than the features, the axes of least variance are left out; where it
        is more, the rest of z is zero.
    rotated : bool, default=True
        Principal axes, dealt out so that each position has about the same product of variances, as OPQ begins.
        Without it z is x itself, centred and scaled, padded with zeros.
    whitening : float, default=0.0
        Variances v of principal axes become v ** (1 - whitening), up to a factor.
    """
    features = x.shape[1]
    if not 0 <= whitening <= 1 or (whitening and not rotated):
        raise InputError(f"expected a whitening of principal axes from 0 to 1; got {whitening}")
    if width % d or d > features:
        raise InputError(f"expected at most {features} positions for {features} features; got {d}")
    mean = x.mean(0)
    weight = _dealt_axes(x - mean, d, width, whitening) if rotated else torch.eye(width, features, device=x.device)
    weight = weight / ((x - mean) @ weight.t()).square().mean().sqrt().clamp(min=1e-12)
    return Projection(weight, -weight @ mean)


def product_code(
    z: Tensor, spec: CodeSpec, generator: torch.Generator, rotated: bool = True, rounds: int = 10
) -> ProductCode:
    """Learn a product quantizer of the rows of `z`, and with `rotated` the rotation in front of it.

    In turns: codes for the rotation, then the rotation that brings the rows nearest to their codes.

    Parameters
    ----------
    z : Tensor of shape (N, width)
        At least k rows; the width is a multiple of d.
    spec : CodeSpec
    generator : torch.Generator
        Of the CPU.
    rotated : bool, default=True
    rounds : int, default=10
        Of turns.

    References
    ----------
    Ge, He, Ke, Sun, "Optimized product quantization", PAMI 2014.
    """
    rotation = torch.eye(z.shape[1], device=z.device)
    centroids, found = kmeans(_parts(z, spec.d), spec.k, generator)
    for _ in range(rounds if rotated else 0):
        left, _, right = torch.linalg.svd(z.t() @ _decoded(centroids, found))
        turn = left @ right
        z, rotation = z @ turn, rotation @ turn
        centroids = moved(_parts(z, spec.d), found, centroids)
        found = nearest(_parts(z, spec.d), centroids)
    error = float((z - _decoded(centroids, found)).square().mean())
    return ProductCode(rotation, centroids, error)


def _dealt_axes(centred: Tensor, d: int, width: int, whitening: float) -> Tensor:
    """Principal axes as rows, (width, features), dealt to d positions by the product of their variances."""
    features = centred.shape[1]
    variances, axes = torch.linalg.eigh((centred.t() @ centred / len(centred)).double())
    variances, axes = variances.flip(0).clamp(min=1e-12 * float(variances[-1])), axes.flip(1)
    rows = torch.zeros(width, features, dtype=axes.dtype, device=axes.device)
    used = min(width, features)
    axes = axes * variances ** (-whitening / 2)
    logarithms = ((1 - whitening) * (variances / variances[used - 1]).log()).tolist()
    products = [0.0] * d
    taken = [0] * d
    for axis in range(used):
        free = [i for i in range(d) if taken[i] < width // d]
        position = min(free, key=lambda i: (products[i], i))
        rows[position * (width // d) + taken[position]] = axes[:, axis]
        products[position] += logarithms[axis]
        taken[position] += 1
    return rows.to(centred.dtype)


def _decoded(centroids: Tensor, found: Tensor) -> Tensor:
    """The centroids of each item side by side, (N, width)."""
    d, _, width = centroids.shape
    return centroids.gather(1, found[..., None].expand(-1, -1, width)).transpose(0, 1).reshape(-1, d * width)


def _parts(z: Tensor, d: int) -> Tensor:
    """z as d pieces, (d, N, width / d)."""
    return z.view(len(z), d, -1).transpose(0, 1).contiguous()
