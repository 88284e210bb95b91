"""One byte a feature."""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor

from dimco.baselines.base import TableQuantizer
from dimco.errors import InputError
from dimco.spec import CodeSpec

_LEVELS = 256


class Int8Quantizer(TableQuantizer):
    """Eight-bit quantization (int8): each feature has 256 even levels from its least value to its greatest.

    The score is the negative squared distance between the query, kept in full, and the stored levels. Values
    beyond those seen in `fit` are given the level at the end.

    Parameters
    ----------
    spec : CodeSpec
        k must be 256 and d the number of features.

    Attributes
    ----------
    levels : Tensor of shape (features, 256)
        Rising; all equal for a feature that never changes.

    References
    ----------
    Jacob et al., "Quantization and training of neural networks for efficient integer-arithmetic-only
    inference", CVPR 2018, where the grid is shifted to hold zero exactly; distances have no need of it.

    Examples
    --------
    >>> quantizer = Int8Quantizer(CodeSpec(k=256, d=1)).fit([[0.0], [51.0]])
    >>> quantizer.encode([[0.0], [1.0], [10.3], [80.0]]).unpack().ravel().tolist()
    [0, 5, 51, 255]
    """

    name: ClassVar[str] = "int8"
    levels: Tensor

    def __init__(self, spec: CodeSpec) -> None:
        super().__init__(spec)
        if spec.k != _LEVELS:
            raise InputError(f"expected k = {_LEVELS} for a byte a feature; got {spec.k}")

    def check_width(self, features: int) -> None:
        """Raise `InputError` unless there is a position for each feature."""
        if self.spec.d != features:
            raise InputError(f"expected {features} positions, a byte for each feature; got {self.spec.d}")

    def _fit(self, x: Tensor) -> None:
        lowest, highest = (values.double()[:, None] for values in (x.min(0).values, x.max(0).values))
        share = torch.arange(_LEVELS) / (_LEVELS - 1)
        self.levels = (lowest + (highest - lowest) * share).float()

    def _tables(self, queries: Tensor) -> Tensor:
        return -(queries[:, :, None] - self.levels).square()
