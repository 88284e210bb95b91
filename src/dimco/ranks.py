"""Sums over a batch that processes share, and the answer of a process that has the batch to itself.

Information is a statistic of the whole batch. Where a batch is spread over processes ("ranks"), each computes sums over
its own items, and the ranks make of them the sums and means of the whole batch, with gradients.
"""

from __future__ import annotations

from typing import Protocol

import torch
from torch import Tensor


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


class Alone:
    """One process that holds the whole batch."""

    def sum(self, values: Tensor) -> Tensor:
        return values

    def mean(self, values: Tensor, items: int) -> Tensor:
        return values

    def classes(self, labels: Tensor) -> Tensor:
        distinct: Tensor = torch.unique(labels)
        return distinct


ALONE = Alone()
