"""Log odds of every symbol of all items, kept while they fit and computed again where they do not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dimco.inputs import check_finite, check_shape
from dimco.model import CodeModel

Half = NDArray[np.float16]
_LIMIT = float(np.finfo(np.float16).max)


def log_odds(log_probs: Tensor) -> Tensor:
    """log p - log(1 - p) of each symbol, from log p of shape (N, d, k).

    They rank items as p does, and still tell apart those whose p is 1 in floating point: of the likeliest symbol,
    1 - p is the sum of the others' p and not a difference.
    """
    likeliest = log_probs.argmax(-1, keepdim=True)
    rest = torch.log1p(-log_probs.exp().clamp(max=0.5))
    others = log_probs.scatter(-1, likeliest, -float("inf")).logsumexp(-1, keepdim=True)
    return log_probs - rest.scatter(-1, likeliest, others)


def log_p(odds: NDArray[Any]) -> NDArray[np.float64]:
    """log p from log odds."""
    found: NDArray[np.float64] = -np.logaddexp(0, -odds.astype(np.float64))
    return found


class LogOdds:
    """Log odds of N items in pieces of (rows, d, k), as float16; kept and computed pieces are rounded alike.

    Parameters
    ----------
    model : CodeModel
    x : array, memory-mapped array or Tensor of shape (N, ...)
    keep_bytes : int
        Pieces are kept if they take at most this, N * d * k * 2 bytes.
    batch_size : int

    Attributes
    ----------
    kept : bool
    symbols : ndarray of shape (N, d)
        The most likely symbols, before rounding (eq. 3).
    """

    def __init__(self, model: CodeModel, x: Any, keep_bytes: int, batch_size: int) -> None:
        check_shape(x, model.features)
        self._model, self._x, self._batch = model, x, batch_size
        self.kept = len(x) * model.spec.d * model.spec.k * 2 <= keep_bytes
        self._pieces: list[Half] = []
        self.symbols = np.empty((len(x), model.spec.d), dtype=model.spec.dtype)
        for start in range(0, len(x), batch_size):
            log_probs = self._computed(start)
            self.symbols[start : start + batch_size] = log_probs.argmax(-1).numpy()
            if self.kept:
                self._pieces.append(_rounded(log_probs))

    def pieces(self) -> Iterator[tuple[int, Half]]:
        """The first row of each piece, and the piece."""
        for number, start in enumerate(range(0, len(self._x), self._batch)):
            yield start, self._pieces[number] if self.kept else _rounded(self._computed(start))

    def _computed(self, start: int) -> Tensor:
        rows = self._x[start : start + self._batch]
        check_finite(rows, start)
        return self._model.log_probs(rows)


def _rounded(log_probs: Tensor) -> Half:
    return log_odds(log_probs).clamp(-_LIMIT, _LIMIT).numpy().astype(np.float16)
