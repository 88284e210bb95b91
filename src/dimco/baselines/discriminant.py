"""Linear discriminants, then product quantization: the classic way to let labels shape a code."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
import torch
from torch import Tensor

from dimco.baselines.base import TableQuantizer, check_power_of_two, training_rows
from dimco.baselines.product import ProductQuantizer
from dimco.errors import InputError
from dimco.extras import require
from dimco.inputs import encode_labels
from dimco.spec import CodeSpec


class DiscriminantQuantizer(TableQuantizer):
    """LDA, then product quantization (LDA-PQ): groups of the features that tell the classes apart.

    scikit-learn's LinearDiscriminantAnalysis keeps all its dimensions, at most classes - 1 and at most the
    features, in which the classes' common covariance is the identity; product quantization takes over there.
    Distances are those of that space.

    Parameters
    ----------
    spec : CodeSpec
        k must be a power of two, and d at most the number of discriminants.
    seed : int, default=0
        Seed of k-means.

    Attributes
    ----------
    mean : Tensor of shape (features,)
    axes : Tensor of shape (features, discriminants)

    References
    ----------
    Fisher, "The use of multiple measurements in taxonomic problems", Annals of Eugenics, 1936; Jégou, Douze,
    Schmid, "Product quantization for nearest neighbor search", PAMI 2011.

    Examples
    --------
    >>> y = np.arange(90) % 3
    >>> x = np.random.default_rng(0).normal(size=(90, 6)) + y[:, None]
    >>> DiscriminantQuantizer(CodeSpec(k=4, d=2)).fit(x, y).encode(x)
    Codes(90 items of 4x2, 45 bytes)
    """

    name: ClassVar[str] = "lda-pq"
    mean: Tensor
    axes: Tensor

    def __init__(self, spec: CodeSpec, seed: int = 0) -> None:
        super().__init__(spec)
        self.seed = seed
        check_power_of_two(spec.k, "product quantization")

    def fit(self, x: Any, y: Any = None) -> Self:
        """Find the discriminants of the labels `y` among the rows of `x`, (N, features), and the centroids."""
        if y is None:
            raise InputError("expected labels, from which discriminants are found; got none")
        rows = training_rows(x)
        classes, labels = encode_labels(y, len(rows))
        if len(classes) == len(rows):
            raise InputError(f"expected more items than classes; got {len(rows)} items, each of its own class")
        self.check_width(min(rows.shape[1], len(classes) - 1))
        lda = require("sklearn.discriminant_analysis").LinearDiscriminantAnalysis()
        try:
            lda.fit(rows.double().numpy(), labels)
        except IndexError:  # scikit-learn finds no dimension in which to whiten
            raise InputError("expected features that vary within classes; got constant ones") from None
        self.mean = torch.from_numpy(lda.xbar_).float()
        self.axes = torch.from_numpy(np.ascontiguousarray(lda.scalings_[:, : len(classes) - 1])).float()
        self._fit(rows)
        self.features = rows.shape[1]
        return self

    def check_width(self, features: int) -> None:
        """Raise `InputError` if there are more positions than discriminants; `features` are the most there can be."""
        if self.spec.d > features:
            raise InputError(f"expected at most {features} positions for {features} discriminants; got {self.spec.d}")

    def _fit(self, x: Tensor) -> None:
        self.check_width(self.axes.shape[1])
        self._product = ProductQuantizer(self.spec, self.seed).fit((x - self.mean) @ self.axes)

    def _tables(self, queries: Tensor) -> Tensor:
        return self._product.tables((queries - self.mean) @ self.axes)
