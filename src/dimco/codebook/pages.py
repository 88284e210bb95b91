"""What a codebook answers about one symbol, or several together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dimco.errors import InputError
from dimco.spec import CodeSpec

Symbols = Mapping[int, int]


class SymbolPage(NamedTuple):
    """One symbol of one position.

    Attributes
    ----------
    position, symbol : int
    items : ndarray of int
        The items with the highest p_ij, highest first, whether or not they are given the symbol.
    probabilities : ndarray
        Their p_ij.
    given : int
        Items whose stored code has the symbol; 0 means it is dead.
    histogram : dict
        How many of those are of each class, the most frequent first; empty without labels.
    """

    position: int
    symbol: int
    items: NDArray[np.int64]
    probabilities: NDArray[np.float64]
    given: int
    histogram: dict[Any, int]


class Combination(NamedTuple):
    """Several symbols together.

    Attributes
    ----------
    items : ndarray of int
        The items with the highest scores, highest first, whether or not their codes match.
    scores : ndarray
        Sum of log p of the symbols wanted and of log(1 - p) of those excluded.
    matches : int
        Items whose stored code has every symbol wanted and none of those excluded.
    histogram : dict
        How many of those are of each class, the most frequent first; empty without labels.
    """

    items: NDArray[np.int64]
    scores: NDArray[np.float64]
    matches: int
    histogram: dict[Any, int]

    @property
    def purity(self) -> float:
        """Share of the most frequent class among the matches; NaN without matches or labels."""
        return max(self.histogram.values()) / self.matches if self.histogram else float("nan")


def check_symbol(spec: CodeSpec, position: int, symbol: int) -> None:
    """Raise `InputError` unless the code has that position and that symbol."""
    if not (_is_index(position, spec.d) and _is_index(symbol, spec.k)):
        raise InputError(
            f"expected a position from 0 to {spec.d - 1} and a symbol from 0 to {spec.k - 1}; got {position}, {symbol}"
        )


def symbol_pairs(
    spec: CodeSpec, wanted: Symbols, without: Mapping[int, int | list[int]] | None
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """The (position, symbol) pairs wanted and excluded; of the latter a position may have several."""
    excluded = [
        (position, symbol)
        for position, symbols in (without or {}).items()
        for symbol in ([symbols] if isinstance(symbols, (int, np.integer)) else symbols)
    ]
    pairs = list(wanted.items())
    if not pairs and not excluded:
        raise InputError("expected at least one symbol to combine; got none")
    for position, symbol in (*pairs, *excluded):
        check_symbol(spec, position, symbol)
    return pairs, excluded


def _is_index(value: Any, size: int) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and bool(0 <= value < size)
