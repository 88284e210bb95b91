"""A batch with the same number of items of each class, seen class by class.

All shapes are known beforehand and nothing waits for the device, so a training step that uses this can be
captured as a CUDA graph, as long as the number of classes is given.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from dimco.errors import InputError


class BalancedObjective(nn.Module):
    """An objective of balanced batches, which should know how many classes they have.

    Parameters
    ----------
    ways : int, optional
        Classes of a training batch. `dimco.training.train` tells it where it makes balanced batches; without it they
        are counted in each batch, which waits for the device.

    Attributes
    ----------
    config : dict
        The arguments that build the objective again, as JSON.
    """

    def __init__(self, ways: int | None, **options: Any) -> None:
        super().__init__()
        if ways is not None and ways < 2:
            raise InputError(f"expected at least 2 ways; got {ways}")
        self.ways = ways
        self.config: dict[str, Any] = {"ways": ways, **options}

    @property
    def batch_classes(self) -> int | None:
        """Classes of a batch, which the training loop sets; None is no news."""
        return self.ways

    @batch_classes.setter
    def batch_classes(self, classes: int | None) -> None:
        self.ways = self.ways if classes is None else classes


def by_class(values: Tensor, labels: Tensor, ways: int | None = None) -> Tensor:
    """The rows of a batch by class, (ways, items, ...), in the order of the labels and then of the batch.

    Parameters
    ----------
    values : Tensor of shape (N, ...)
    labels : Tensor of shape (N,), integers
        Any integers, each of `ways` values as often as the others. Other labels are an `InputError` on the CPU;
        on another device, which is not waited for, all values become NaN and the loss with them.
    ways : int, optional
        Number of classes in the batch; counted if not given, which waits for the device.
    """
    if ways is None:
        ways = len(torch.unique(labels))
    if len(labels) % ways:
        raise InputError(f"expected as many items of each of {ways} classes; got {len(labels)} items")
    rows, balanced = rows_by_class(labels, ways)
    if labels.device.type == "cpu":
        if not bool(balanced):
            raise InputError(f"expected {rows.shape[1]} items of each of {ways} classes; got other labels")
        return values[rows]
    return torch.where(balanced, values[rows], torch.nan)


def rows_by_class(labels: Tensor, ways: int) -> tuple[Tensor, Tensor]:
    """The rows of each class, (ways, items), and whether all rows of a class have the same label and no other has."""
    order = labels.argsort(stable=True).view(ways, -1)
    of_row = labels[order]
    uniform = (of_row == of_row[:, :1]).all()
    different = (of_row[1:, 0] != of_row[:-1, 0]).all()
    return order, uniform & different
