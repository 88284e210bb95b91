"""The first pass of the torch scan: float32 losses, and the loss beyond which an item is certainly not wanted.

The loss of an item is how far it stays below the best sum there could be: a(x) = sum_i (m_i - t_i[x_i]) with
m_i = max_s t_i[s]. Its terms are all >= 0, so a float32 sum of them, in any order, is off by a small *fraction* of
itself, which is what makes a short and certain bound possible:

- every term is rounded to float32 once, joined with the other positions of its column and added up with the other
  columns, so computed and real loss differ by at most the factor 1 +- g with g = (columns + 4) u32 / (1 - ...),
  u32 = 2**-24, and by `tiny` = (columns + 1) 2**-125 where terms are too small for float32;
- the float64 score S differs from the real sum by at most e = d u64 / (1 - d u64) * sum_i max_s |t_i[s]|.

If n items have computed losses of at most b, n scores are at least M - (b + tiny) / (1 - g) - e with M = sum_i m_i.
An item of computed loss c scores at most M - (c - tiny) / (1 + g) + e. So it can be left out as soon as
c > (1 + g) ((b + tiny) / (1 - g) + 2 e) + tiny. A last factor 1 + 2**-20 pays for computing this very limit.
Losses are scaled by a power of two, query by query, so that nothing overflows.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dimco.search.layout import Layout

_U32, _U64, _TINY, _TOP = 2.0**-24, 2.0**-53, 2.0**-125, 100


class Losses:
    """What each symbol of each column adds to the losses of some queries, and which losses are certainly too large.

    Parameters
    ----------
    layout : Layout
    tables : ndarray of float32, shape (Q, d, k)
        Finite or -inf.
    device : torch.device

    Attributes
    ----------
    by_column : Tensor of float32, shape (Q, columns, symbols)
        A column of several positions has 16 symbols; others have k.
    """

    def __init__(self, layout: Layout, tables: NDArray[np.float32], device: torch.device) -> None:
        losses, scale, magnitude = _scaled_losses(tables)
        self.by_column = torch.from_numpy(_join_positions(losses, layout)).to(device)
        share = (layout.columns + 4) * _U32
        self._factor = share / (1 - share)
        self._tiny = (layout.columns + 1) * _TINY
        d = layout.spec.d
        rounding = d * _U64 / (1 - d * _U64) * magnitude * (1 + 2.0**-20) * scale
        self._rounding = torch.from_numpy(rounding).to(device)

    def limit(self, nth: Tensor) -> Tensor:
        """The computed loss above which an item cannot be among the n best, if n items are within `nth`, per query."""
        limit: Tensor = ((1 + self._factor) * self.real(nth) + self._tiny) * (1 + 2.0**-20)
        return limit.float()

    def real(self, nth: Tensor) -> Tensor:
        """The real loss, in float64, above which an item cannot be among the n best, if n items are within `nth`."""
        real: Tensor = (nth.double() + self._tiny) / (1 - self._factor) + 2 * self._rounding
        return real


def _scaled_losses(
    tables: NDArray[np.float32],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """m_i - t_i[s] with every query's sum scaled below 2**100, the scales, and sum_i max_s |t_i[s]|."""
    exact = tables.astype(np.float64)
    finite = np.isfinite(exact)
    best = exact.max(axis=2, keepdims=True)
    best[best == -np.inf] = 0.0
    losses = best - exact
    largest = np.where(finite, losses, 0.0).max(axis=2).sum(axis=1)
    exponent = np.where(largest > 0, _TOP - np.frexp(largest)[1], 0)
    scale = np.ldexp(1.0, exponent)
    magnitude = np.where(finite, np.abs(exact), 0.0).max(axis=2).sum(axis=1)
    return losses * scale[:, None, None], scale, magnitude


def _join_positions(losses: NDArray[np.float64], layout: Layout) -> NDArray[np.float32]:
    """The losses of the symbols of a column, which may stand for several positions: (Q, columns, symbols)."""
    if layout.group == 1:
        return losses.astype(np.float32)
    queries, d, k = losses.shape
    width = layout.spec.bits_per_symbol
    padded = np.zeros((queries, layout.columns * layout.group, k))
    padded[:, :d] = losses
    joint = np.arange(1 << width * layout.group)
    total = np.zeros((queries, layout.columns, len(joint)))
    for place in range(layout.group):
        symbol = np.minimum(joint >> width * place & (1 << width) - 1, k - 1)
        total += padded[:, place :: layout.group, symbol]
    return total.astype(np.float32)
