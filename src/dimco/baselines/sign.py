"""Binary codes: the signs of random projections."""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor

from dimco.baselines.base import TableQuantizer
from dimco.errors import InputError
from dimco.spec import CodeSpec


class SignQuantizer(TableQuantizer):
    """Sign binary codes: on which side of d random hyperplanes through the mean an item lies.

    The hyperplanes are orthogonal to each other, in batches of as many as there are features where there are
    more of them than that (super-bit hashing); d is not limited. The query stays in floats (asymmetric):
    the score is the inner product of its projections and the stored signs, +1 or -1.

    Parameters
    ----------
    spec : CodeSpec
        k must be 2; any d.
    seed : int, default=0
        Seed of the hyperplanes.

    Attributes
    ----------
    mean : Tensor of shape (features,)
    axes : Tensor of shape (features, d)
        The normals of the hyperplanes.

    References
    ----------
    Charikar, "Similarity estimation techniques from rounding algorithms", STOC 2002; Ji, Li, Yan, Zhang, Tian,
    "Super-bit locality-sensitive hashing", NIPS 2012.

    Examples
    --------
    >>> x = torch.tensor([[9.0, 1.0], [-9.0, -1.0]])
    >>> near, far = SignQuantizer(CodeSpec(k=2, d=8)).fit(x).encode(x).unpack()
    >>> (near + far).tolist()
    [1, 1, 1, 1, 1, 1, 1, 1]
    """

    name: ClassVar[str] = "sign"
    mean: Tensor
    axes: Tensor

    def __init__(self, spec: CodeSpec, seed: int = 0) -> None:
        super().__init__(spec)
        self.seed = seed
        if spec.k != 2:
            raise InputError(f"expected k = 2 for a binary code; got {spec.k}")

    def check_width(self, features: int) -> None:
        """Items of any width can be given any number of bits."""

    def _fit(self, x: Tensor) -> None:
        mean = x.double().mean(0)
        self.mean = mean.float()
        self.axes = self._axes(x.double() - mean).float()

    def _axes(self, centred: Tensor) -> Tensor:
        features = centred.shape[1]
        generator = torch.Generator().manual_seed(self.seed)
        batches = [random_rotation(features, generator) for _ in range(0, self.spec.d, features)]
        return torch.cat(batches, dim=1)[:, : self.spec.d]

    def _tables(self, queries: Tensor) -> Tensor:
        projected = (queries - self.mean) @ self.axes
        return torch.stack([-projected, projected], -1)


def random_rotation(features: int, generator: torch.Generator) -> Tensor:
    """A square orthogonal matrix, uniform among all of them."""
    gaussian = torch.randn(features, features, generator=generator, dtype=torch.float64)
    rotation, triangle = torch.linalg.qr(gaussian)
    uniform: Tensor = rotation * triangle.diagonal().sign()
    return uniform
