"""Ranked lists with ties: what stands before each place, and what shares it, when the order of ties is random."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor


class TieGroups(NamedTuple):
    """The first places of each query's list, (Q, places) each, as float64.

    Attributes
    ----------
    before : Tensor
        Items that score higher than the place's.
    right_before : Tensor
        Those of them that are right.
    size : Tensor
        Items that score the same as the place's, itself included.
    right : Tensor
        Those of them that are right.
    """

    before: Tensor
    right_before: Tensor
    size: Tensor
    right: Tensor

    def slot(self) -> Tensor:
        """The place within its group, from 1."""
        places = torch.arange(1, self.before.shape[1] + 1, device=self.before.device)
        return places - self.before

    def hit_by(self, place: int) -> Tensor:
        """The probability that one of the first `place` items is right, (Q,)."""
        column = min(place, self.before.shape[1]) - 1
        slots = self.slot()[:, column]
        size, right = self.size[:, column], self.right[:, column]
        miss = torch.ones_like(size)
        for drawn in range(place):
            left = (size - right - drawn).clamp(min=0) / (size - drawn).clamp(min=1)
            miss = torch.where(drawn < slots, miss * left, miss)
        return torch.where(self.right_before[:, column] > 0, 1.0, 1 - miss)

    def precision_when_right(self) -> Tensor:
        """The expectation, at each place, of the precision up to there if its item is right, else 0."""
        others = (self.slot() - 1) * (self.right - 1).clamp(min=0) / (self.size - 1).clamp(min=1)
        places = torch.arange(1, self.before.shape[1] + 1, device=self.before.device)
        return self.right / self.size * (self.right_before + 1 + others) / places


def tie_groups(scores: Tensor, right: Tensor, places: int) -> TieGroups:
    """The groups at the first places of lists ordered by falling score.

    Parameters
    ----------
    scores : Tensor of shape (Q, N)
    right : Tensor of shape (Q, N), bool
    places : int
        At most N.
    """
    ordered, order = scores.topk(places, dim=1)
    hits = right.gather(1, order).double().cumsum(1)
    index = torch.arange(places, device=scores.device).expand_as(order)
    changes = ordered[:, 1:] != ordered[:, :-1]
    first = torch.nn.functional.pad(changes, (1, 0), value=True)
    last = torch.nn.functional.pad(changes, (0, 1), value=True)
    start = torch.where(first, index, 0).cummax(1).values
    end = torch.where(last, index, places).flip(1).cummin(1).values.flip(1)
    right_before = torch.nn.functional.pad(hits, (1, 0)).gather(1, start)
    edge = ordered[:, -1:]
    at_edge, tied = ordered == edge, scores == edge
    size = torch.where(at_edge, tied.sum(1, keepdim=True), end - start + 1)
    right_in = torch.where(at_edge, (tied & right).sum(1, keepdim=True), hits.gather(1, end) - right_before)
    return TieGroups(start.double(), right_before, size.double(), right_in)
