"""Mean probabilities of the joint symbols of positions, class by class, without those of each item."""

from __future__ import annotations

import torch
from torch import Tensor

from dimco.information import joint_symbols
from dimco.ranks import ALONE, Ranks

_MOST_PADDING = 4


def joint_class_means(p: Tensor, groups: Tensor, labels: Tensor, ranks: Ranks = ALONE) -> tuple[Tensor, Tensor]:
    """`class_means` of `joint_symbols`: (C, number of groups, k**size), and the classes' frequencies, (C,).

    Given the item, positions are independent, so a class's sum over items is a product of two matrices: half of the
    positions' joint symbols with the other half's. The k**size probabilities of each item are made only on CUDA, where
    they cost little, and where one class has so much of the batch that matrices of equal height would be larger.

    Parameters
    ----------
    p : Tensor of shape (N, d, k)
    groups : Tensor of shape (number of groups, size), integer
        The positions of each group, at least two.
    labels : Tensor of shape (N,)
    ranks : Ranks, optional
    """
    values = ranks.classes(labels)
    owner = torch.searchsorted(values, labels)
    sums, counts = _matrix_sums(p, groups, owner, len(values)) or _item_sums(p, groups, owner, len(values))
    sums, counts = ranks.sum(sums), ranks.sum(counts)
    return sums / counts[:, None, None], counts / counts.sum()


def _item_sums(p: Tensor, groups: Tensor, owner: Tensor, classes: int) -> tuple[Tensor, Tensor]:
    """Each class's sum over its items' joint symbols, and its number of items; waits for no device."""
    of_class = torch.nn.functional.one_hot(owner, classes).to(p.dtype)
    return torch.einsum("nc,ngs->cgs", of_class, joint_symbols(p, groups)), of_class.sum(0)


def _matrix_sums(p: Tensor, groups: Tensor, owner: Tensor, classes: int) -> tuple[Tensor, Tensor] | None:
    """`_item_sums` by products of matrices; None where that would not be quicker."""
    if p.is_cuda:
        return None
    counts = torch.bincount(owner, minlength=classes)
    height = int(counts.max())
    if classes * height > _MOST_PADDING * len(p):
        return None
    row = owner * height + _place_in_class(owner, counts)
    middle = groups.shape[1] // 2
    halves = (joint_symbols(p, half) for half in (groups[:, :middle], groups[:, middle:]))
    first, second = (_by_class(half, row, classes, height) for half in halves)
    return (first.transpose(-1, -2) @ second).flatten(2), counts.to(p.dtype)


def _place_in_class(owner: Tensor, counts: Tensor) -> Tensor:
    """How many items of its class stand before each item."""
    order = owner.argsort(stable=True)
    place = torch.empty_like(owner)
    place[order] = torch.arange(len(owner), device=owner.device) - (counts.cumsum(0) - counts)[owner[order]]
    return place


def _by_class(p: Tensor, row: Tensor, classes: int, height: int) -> Tensor:
    """The items of each class in a matrix of its own, with rows of zeros below: (C, groups, height, symbols)."""
    padded = p.new_zeros(classes * height, *p.shape[1:]).index_copy(0, row, p)
    return padded.view(classes, height, *p.shape[1:]).transpose(1, 2)
