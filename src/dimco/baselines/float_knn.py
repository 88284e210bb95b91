"""Items kept as they are: what every code gives up accuracy against."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import torch
from torch import Tensor

from dimco.baselines.base import pieces, training_rows
from dimco.errors import InputError
from dimco.inputs import check_shape


class FloatKNN:
    """Float vectors searched by Euclidean distance: the face of a quantizer, but what is stored are floats.

    The score is the negative squared distance. It is computed in double precision and rounded, so items at
    the same distance tie.

    Attributes
    ----------
    features : int or None
        Width of the input, None before `fit`.

    Examples
    --------
    >>> knn = FloatKNN().fit([[0.0, 0.0]])
    >>> stored = knn.encode([[1.0, 0.0], [3.0, 4.0]])
    >>> knn.scores([[0.0, 0.0]], stored).tolist(), knn.bits
    ([[-1.0, -25.0]], 64)
    """

    name: ClassVar[str] = "float-knn"

    def __init__(self) -> None:
        self.features: int | None = None

    @property
    def bits(self) -> int:
        """Bits a stored item takes: 32 a feature."""
        if self.features is None:
            raise InputError(f"expected a fitted {self.name} quantizer; call fit first")
        return 32 * self.features

    def fit(self, x: Any, y: Any = None) -> Self:
        """Remember the width of the rows of `x`, (N, features); labels are taken and not used."""
        self.features = training_rows(x).shape[1]
        return self

    def encode(self, x: Any) -> Tensor:
        """The rows of `x` in float32, (N, features)."""
        return torch.cat(list(pieces(x, self.features, self.name)))

    def scores(self, queries: Any, stored: Tensor) -> Tensor:
        """The score of each query against each stored row, (Q, N)."""
        asked, kept = self.encode(queries).double(), stored.double()
        check_shape(kept, self.features)
        products = 2 * asked @ kept.t()
        return (products - asked.square().sum(1, keepdim=True) - kept.square().sum(1)).float()
