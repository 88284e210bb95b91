"""The sieve of a GPU: from all blocks of a large piece to the few that may hold one of the n best.

Losses (see `torch_losses`) are rounded down to multiples of a step, 0 to 127 steps, so the sum of an item's rounded
losses times the step is at most its loss. A bound on the n-th smallest loss, from a sample and then from the blocks
that look best, excludes every block whose smallest rounded sum is beyond it. What is left is scored as ever.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from dimco.search.kernels.torch_codes import Piece
from dimco.search.kernels.torch_losses import Losses

RoundedMinima = Callable[[Piece, Tensor], Tensor]
BlockMinima = Callable[[Piece], Tensor]

FEWEST_BLOCKS = 1 << 15
_SAMPLE, _NEIGHBOURS, _STEPS, _SYMBOLS = 4096, 64, 127, 16
_MARGIN, _SMALLEST_STEP = 1 + 2.0**-20, 2.0**-140


class Sieve:
    """Of some queries and codes of nibbles.

    Parameters
    ----------
    losses : Losses
    minima : callable
        From a piece to the smallest loss of the rows kept in every block, (blocks, Q).
    rounded_minima : callable
        From a piece and rounded losses, uint8 (Q, columns, 16), to the smallest sum of any row in every block,
        (Q, blocks).
    n : int
        Items asked for.
    """

    def __init__(self, losses: Losses, minima: BlockMinima, rounded_minima: RoundedMinima, n: int) -> None:
        self._losses, self._minima, self._rounded_minima, self._n = losses, minima, rounded_minima, n

    def __call__(self, piece: Piece, known: Tensor) -> Piece:
        """The blocks of a piece that cannot be left out.

        Parameters
        ----------
        piece : Piece
        known : Tensor of shape (m, Q)
            Losses of items met before, no item twice in a column.
        """
        sample = self._minima(next(piece.split(_SAMPLE * 64)))
        bound = self._real_bound(torch.cat([known, sample]))
        rounded, step = self._rounded(bound)
        sums = self._rounded_minima(piece, rounded)
        best = _smallest_places(sums, self._n)
        met = self._minima(piece.taken(best.flatten(), piece.blocks.device)).unflatten(0, best.shape)
        of_own = torch.diagonal(met, dim1=0, dim2=2)
        bound = torch.minimum(bound, self._real_bound(of_own))
        left = (sums * step[:, None] <= bound[:, None] * _MARGIN).any(0).nonzero()[:, 0]
        return piece.taken(left, piece.blocks.device)

    def _real_bound(self, losses: Tensor) -> Tensor:
        """The real loss that none of the n best items exceeds, per query; infinite where fewer than n are known."""
        if len(losses) < self._n:
            return torch.full((losses.shape[1],), torch.inf, dtype=torch.float64, device=losses.device)
        return self._losses.real(losses.topk(self._n, dim=0, largest=False).values.amax(0))

    def _rounded(self, bound: Tensor) -> tuple[Tensor, Tensor]:
        """Losses in steps, rounded down, (Q, columns, 16), and the steps, (Q,): 127 of them reach the bound."""
        losses = self._losses.by_column.double()
        largest = torch.where(losses.isfinite(), losses, 0.0).amax((1, 2))
        step = (torch.minimum(bound, largest) / _STEPS).clamp_min(_SMALLEST_STEP)
        rounded = (losses / step[:, None, None]).clamp_max(_STEPS).to(torch.uint8)
        return torch.nn.functional.pad(rounded, (0, _SYMBOLS - rounded.shape[2])), step


def _smallest_places(sums: Tensor, n: int) -> Tensor:
    """Places of n blocks, or of all, with small sums, (Q, m); among neighbours the best alone where blocks are many."""
    queries, blocks = sums.shape
    if blocks < n * _NEIGHBOURS**2:
        return sums.topk(min(n, blocks), dim=1, largest=False).indices
    near = sums[:, : blocks - blocks % _NEIGHBOURS].view(queries, -1, _NEIGHBOURS)
    groups = near.amin(2).topk(n, dim=1, largest=False).indices
    within = near.gather(1, groups[:, :, None].expand(-1, -1, _NEIGHBOURS)).argmin(2)
    return groups * _NEIGHBOURS + within
