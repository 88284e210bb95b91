"""Optimized product quantization."""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor

from dimco.baselines.base import TableQuantizer, check_items, check_power_of_two
from dimco.baselines.product import ProductQuantizer
from dimco.extras import require
from dimco.spec import CodeSpec


class OptimizedProductQuantizer(TableQuantizer):
    """Optimized product quantization (OPQ): a rotation learned to make product quantization lose less.

    The rotation is faiss's OPQMatrix, which alternates between product quantization and the rotation that
    fits it best (at most 65,536 items are used). Where d does not divide the features, the rotated space is
    wider, up to the next multiple of d. Distances are those of the space as it was.

    Parameters
    ----------
    spec : CodeSpec
        k must be a power of two, and d at most the number of features.
    seed : int, default=0
        Seed of k-means; the first rotation is faiss's own.

    Attributes
    ----------
    rotation : Tensor of shape (features, width)
        Its rows are orthonormal. Width is the features, rounded up to a multiple of d.

    References
    ----------
    Ge, He, Ke, Sun, "Optimized product quantization", PAMI 2014.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(0).normal(size=(100, 6))
    >>> OptimizedProductQuantizer(CodeSpec(k=4, d=3)).fit(x).encode(x)
    Codes(100 items of 4x3, 75 bytes)
    """

    name: ClassVar[str] = "opq"
    rotation: Tensor

    def __init__(self, spec: CodeSpec, seed: int = 0) -> None:
        super().__init__(spec)
        self.seed = seed
        check_power_of_two(spec.k, "optimized product quantization")

    def _fit(self, x: Tensor) -> None:
        items, features = x.shape
        check_items(items, self.spec.k)
        faiss = require("faiss")
        width = -(-features // self.spec.d) * self.spec.d
        inner = faiss.ProductQuantizer(width, self.spec.d, self.spec.bits_per_symbol)
        inner.cp.seed = self.seed % 2**31
        inner.cp.min_points_per_centroid = 1
        learner = faiss.OPQMatrix(features, self.spec.d, width)
        learner.pq = inner
        learner.train(x.numpy())
        rotation = torch.from_numpy(faiss.vector_to_array(learner.A))
        self.rotation = rotation.reshape(width, features).t().contiguous()
        self._product = ProductQuantizer(self.spec, self.seed).fit(x @ self.rotation)

    def _tables(self, queries: Tensor) -> Tensor:
        return self._product.tables(queries @ self.rotation)
