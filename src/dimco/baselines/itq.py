"""Iterative quantization: binary codes by a learned rotation of principal components."""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor

from dimco.baselines.base import TableQuantizer
from dimco.baselines.scalar import principal_axes
from dimco.baselines.sign import SignQuantizer, random_rotation

_ITERATIONS = 50


class IterativeQuantizer(SignQuantizer):
    """Iterative quantization (ITQ): the signs of principal components, rotated to lie near the signs' corners.

    From a random rotation, 50 times as in the paper: take the signs, then the rotation that brings the
    components nearest to them (a Procrustes problem). The query stays in floats (asymmetric): the score is
    the inner product of its rotated components and the stored signs, +1 or -1.

    Parameters
    ----------
    spec : CodeSpec
        k must be 2; d at most the number of features.
    seed : int, default=0
        Seed of the first rotation.

    Attributes
    ----------
    mean : Tensor of shape (features,)
    rotation : Tensor of shape (d, d)
    axes : Tensor of shape (features, d)
        The principal axes, rotated.
    losses : list of float
        Squared distance between the components and their signs, summed over all items, at each iteration.

    References
    ----------
    Gong, Lazebnik, "Iterative quantization: a Procrustean approach to learning binary codes", CVPR 2011.

    Examples
    --------
    >>> from dimco.spec import CodeSpec
    >>> x = torch.tensor([[9.0, 1.0], [-9.0, -1.0]])
    >>> near, far = IterativeQuantizer(CodeSpec(k=2, d=2)).fit(x).encode(x).unpack()
    >>> (near + far).tolist()
    [1, 1]
    """

    name: ClassVar[str] = "itq"
    rotation: Tensor
    losses: list[float]

    check_width = TableQuantizer.check_width

    def _axes(self, centred: Tensor) -> Tensor:
        principal = principal_axes(centred, self.spec.d)
        components = centred @ principal
        rotation = random_rotation(self.spec.d, torch.Generator().manual_seed(self.seed))
        self.losses = []
        for _ in range(_ITERATIONS):
            rotated = components @ rotation
            signs = torch.where(rotated > 0, 1.0, -1.0).double()
            self.losses.append(float((signs - rotated).square().sum()))
            left, _, right = torch.linalg.svd(components.t() @ signs)
            rotation = left @ right
        self.rotation = rotation
        return principal @ rotation
