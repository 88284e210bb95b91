"""Cells around modes: each code falls to the mode it agrees with at the most positions (k-modes clustering)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray

from dimco.errors import InputError
from dimco.search.coarse.cells import MOST_CELLS
from dimco.spec import CodeSpec

_CHUNK_ENTRIES = 1 << 23


class ModeCells:
    """A cell for each of some codewords, its mode; codes that agree as much with several fall to the first.

    Parameters
    ----------
    spec : CodeSpec
    modes : ndarray of shape (C, d)

    References
    ----------
    Huang: Extensions to the k-means algorithm for clustering large data sets with categorical values, 1998.
    """

    def __init__(self, spec: CodeSpec, modes: NDArray[Any]) -> None:
        if modes.ndim != 2 or modes.shape[1] != spec.d or not 1 <= len(modes) <= MOST_CELLS:
            raise InputError(f"expected 1 to {MOST_CELLS:,} modes of shape (C, {spec.d}); got shape {modes.shape}")
        self.spec, self.modes = spec, modes.astype(spec.dtype)

    @classmethod
    def fit(cls, spec: CodeSpec, symbols: NDArray[Any], count: int, rng: np.random.Generator, rounds: int = 10) -> Self:
        """Modes of codes of shape (N, d), a sample of those to be stored, found by k-modes from random ones."""
        distinct = np.unique(symbols, axis=0)
        cells = cls(spec, rng.permutation(distinct)[:count])
        for _ in range(rounds):
            modes = _modes(symbols, cells.of(symbols), cells.modes, spec)
            if np.array_equal(modes, cells.modes):
                break
            cells = cls(spec, modes)
        return cells

    @property
    def count(self) -> int:
        """How many cells there are."""
        return len(self.modes)

    def of(self, symbols: NDArray[Any]) -> NDArray[np.int64]:
        """The cells, of shape (N,), of codes of shape (N, d)."""
        found = np.empty(len(symbols), np.int64)
        modes = _one_hot(self.modes, self.spec).T
        step = max(1, _CHUNK_ENTRIES // max(self.count, self.spec.k * self.spec.d))
        for first in range(0, len(symbols), step):
            agreeing = _one_hot(symbols[first : first + step], self.spec) @ modes
            found[first : first + step] = agreeing.argmax(1).numpy()
        return found

    def worth(self, table: NDArray[np.float32], bounds: NDArray[np.float64]) -> NDArray[np.float64]:
        """The scores of the modes: bounds tell cells apart badly, for one odd code widens that of its cell."""
        scores: NDArray[np.float64] = table[np.arange(self.spec.d), self.modes].sum(1, dtype=np.float64)
        return scores


def _one_hot(symbols: NDArray[Any], spec: CodeSpec) -> torch.Tensor:
    made = torch.zeros(len(symbols), spec.d * spec.k)
    places = torch.from_numpy(symbols.astype(np.int64) + spec.k * np.arange(spec.d))
    return made.scatter_(1, places, 1.0)


def _modes(symbols: NDArray[Any], cells: NDArray[np.int64], old: NDArray[Any], spec: CodeSpec) -> NDArray[Any]:
    """The commonest symbol of each cell at each position; a cell without codes keeps its mode."""
    modes = old.copy()
    filled = np.bincount(cells, minlength=len(old)) > 0
    for position in range(spec.d):
        joint = cells * spec.k + symbols[:, position]
        counts = np.bincount(joint, minlength=len(old) * spec.k).reshape(len(old), spec.k)
        modes[filled, position] = counts[filled].argmax(1)
    return modes
