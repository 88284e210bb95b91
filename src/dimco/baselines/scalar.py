"""Scalar quantization with levels placed by the data."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dimco.baselines.base import TableQuantizer

_ITERATIONS = 300


class ScalarQuantizer(TableQuantizer):
    """Adaptive scalar quantization (SQ), the paper's baseline: each dimension has k levels of its own.

    The levels are one-dimensional k-means (Lloyd-Max). With as many positions as features every feature
    is a dimension; with fewer, the dimensions are the first d principal components. The score is the
    negative squared distance between the query, kept in full, and the stored levels.

    Parameters
    ----------
    spec : CodeSpec
        Any k; d at most the number of features.

    Attributes
    ----------
    levels : Tensor of shape (d, k)
        Rising; the last ones repeat where the data has fewer values than k.

    References
    ----------
    Lloyd, "Least squares quantization in PCM", IEEE Transactions on Information Theory, 1982.

    Examples
    --------
    >>> from dimco.spec import CodeSpec
    >>> quantizer = ScalarQuantizer(CodeSpec(k=3, d=1)).fit([[0.0], [1.0], [5.0], [9.0]])
    >>> quantizer.levels.tolist()
    [[0.5, 5.0, 9.0]]
    """

    name: ClassVar[str] = "sq"
    levels: Tensor

    def _fit(self, x: Tensor) -> None:
        features = x.shape[1]
        self._mean = x.double().mean(0)
        self._axes = None if self.spec.d == features else principal_axes(x.double() - self._mean, self.spec.d)
        dimensions = self._dimensions(x).double().numpy()
        levels = np.stack([lloyd_levels(column, self.spec.k) for column in dimensions.T])
        self.levels = torch.from_numpy(levels).float()

    def _tables(self, queries: Tensor) -> Tensor:
        return -(self._dimensions(queries)[:, :, None] - self.levels).square()

    def _dimensions(self, x: Tensor) -> Tensor:
        if self._axes is None:
            return x
        return ((x.double() - self._mean) @ self._axes).float()


def lloyd_levels(values: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """The k levels that Lloyd's algorithm reaches from evenly spread ranks of the distinct values.

    A level that loses its last item goes to the value rebuilt worst.

    Parameters
    ----------
    values : ndarray of shape (N,)
    k : int

    Returns
    -------
    ndarray of shape (k,), rising
        The distinct values themselves, the last one repeated, where there are at most k.
    """
    distinct, counts = np.unique(values, return_counts=True)
    if len(distinct) <= k:
        return np.pad(distinct, (0, k - len(distinct)), mode="edge")
    mass = np.concatenate([[0], np.cumsum(counts)])
    total = np.concatenate([[0], np.cumsum(distinct * counts)])
    levels: NDArray[np.float64] = distinct[(2 * np.arange(k) + 1) * len(distinct) // (2 * k)]
    for _ in range(_ITERATIONS):
        cuts = np.concatenate([[0], np.searchsorted(distinct, (levels[1:] + levels[:-1]) / 2), [len(distinct)]])
        items = np.diff(mass[cuts])
        if items.all():
            moved = np.diff(total[cuts]) / items
        else:
            error = counts * np.square(distinct - np.repeat(levels, np.diff(cuts)))
            moved = np.sort(np.append(np.delete(levels, items.argmin()), distinct[error.argmax()]))
        if np.array_equal(moved, levels):
            break
        levels = moved
    return levels


def principal_axes(centred: Tensor, d: int) -> Tensor:
    """The d directions of most variance, (features, d)."""
    axes: Tensor = torch.linalg.eigh(centred.t() @ centred).eigenvectors
    return axes[:, -d:].flip(1)
