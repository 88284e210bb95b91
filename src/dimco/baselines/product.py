"""Product quantization."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import torch
from torch import Tensor

from dimco.baselines.base import TableQuantizer, check_items, check_power_of_two
from dimco.extras import require
from dimco.spec import CodeSpec


class ProductQuantizer(TableQuantizer):
    """Product quantization (PQ): d groups of features, each replaced by the nearest of k centroids.

    The centroids are faiss's k-means. The score is the negative squared distance between the query, kept
    in full, and the centroids of the stored code (asymmetric distance). Where d does not divide the
    features, the groups are neighbouring features of as equal a number as can be, the wider ones first.

    Parameters
    ----------
    spec : CodeSpec
        k must be a power of two, and d at most the number of features.
    seed : int, default=0
        Seed of k-means.

    Attributes
    ----------
    centroids : Tensor of shape (d, k, width)
        Width is that of the widest group; narrower ones end in zeros.

    References
    ----------
    Jégou, Douze, Schmid, "Product quantization for nearest neighbor search", PAMI 2011.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.random.default_rng(0).normal(size=(100, 6))
    >>> quantizer = ProductQuantizer(CodeSpec(k=4, d=3)).fit(x)
    >>> quantizer.encode(x)
    Codes(100 items of 4x3, 75 bytes)
    """

    name: ClassVar[str] = "pq"
    centroids: Tensor

    def __init__(self, spec: CodeSpec, seed: int = 0) -> None:
        super().__init__(spec)
        self.seed = seed
        check_power_of_two(spec.k, "product quantization")

    def _fit(self, x: Tensor) -> None:
        items, features = x.shape
        check_items(items, self.spec.k)
        faiss = require("faiss")
        self._columns = _groups(features, self.spec.d)
        grouped = self._grouped(x)
        quantizer = faiss.ProductQuantizer(grouped[0].numel(), self.spec.d, self.spec.bits_per_symbol)
        quantizer.cp.seed = self.seed % 2**31
        quantizer.cp.min_points_per_centroid = 1
        quantizer.train(grouped.flatten(1).numpy())
        centroids = torch.from_numpy(faiss.vector_to_array(quantizer.centroids))
        self.centroids = centroids.reshape(self.spec.d, self.spec.k, -1)

    def _tables(self, queries: Tensor) -> Tensor:
        return -(self._grouped(queries)[:, :, None, :] - self.centroids).square().sum(-1)

    def _grouped(self, x: Tensor) -> Tensor:
        """The features of each group, (N, d, width), with zeros where a group is narrower."""
        return torch.nn.functional.pad(x, (0, 1))[:, self._columns]


def _groups(features: int, d: int) -> Tensor:
    """The features of each group, (d, width); `features` stands for none."""
    columns = torch.full((d, -(-features // d)), features)
    for position, group in enumerate(np.array_split(np.arange(features), d)):
        columns[position, : len(group)] = torch.from_numpy(group)
    return columns
