"""Sums over a batch that processes share, and the answer of a process that has the batch to itself.

Information is a statistic of the whole batch. Where a batch is spread over processes ("ranks"), each computes sums over
its own items, and the ranks make of them the sums and means of the whole batch, with gradients.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn


class Ranks(Protocol):
    """Processes that each hold a part of every batch, as the information of a batch needs them."""

    def sum(self, values: Tensor) -> Tensor:
        """The sum over ranks, with gradients."""
        ...

    def mean(self, values: Tensor, items: int) -> Tensor:
        """The mean over the whole batch of what has the mean `values` over this rank's `items`, with gradients."""
        ...

    def classes(self, labels: Tensor) -> Tensor:
        """The distinct labels of the whole batch, increasing."""
        ...


class Processes(Ranks, Protocol):
    """Ranks that train one model together, as the training loop needs them.

    Every rank computes the loss of the whole batch from its own items and the shared sums, so the gradient of the
    batch is the mean over ranks of what each finds.

    Attributes
    ----------
    rank : int
        From 0; the rank 0 writes files.
    count : int
    """

    @property
    def rank(self) -> int: ...
    @property
    def count(self) -> int: ...

    def part(self, batch: NDArray[np.int64]) -> NDArray[np.int64]:
        """This rank's items of a batch."""
        ...

    def average_gradients(self, parameters: Iterable[Tensor]) -> None:
        """Give each parameter the mean over ranks of its gradient."""
        ...

    def agree(self, module: nn.Module) -> None:
        """Give every rank the weights and buffers of rank 0."""
        ...

    def agreed(self, value: float) -> float:
        """The value of rank 0."""
        ...


class Alone:
    """One process that holds the whole batch."""

    rank, count = 0, 1

    def sum(self, values: Tensor) -> Tensor:
        return values

    def mean(self, values: Tensor, items: int) -> Tensor:
        return values

    def classes(self, labels: Tensor) -> Tensor:
        distinct: Tensor = torch.unique(labels)
        return distinct

    def part(self, batch: NDArray[np.int64]) -> NDArray[np.int64]:
        return batch

    def average_gradients(self, parameters: Iterable[Tensor]) -> None:
        """Nothing is to be done."""

    def agree(self, module: nn.Module) -> None:
        """Nothing is to be done."""

    def agreed(self, value: float) -> float:
        return value


ALONE = Alone()
