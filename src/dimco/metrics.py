"""Metrics of codes and of what is done with them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dimco.codes import Codes
from dimco.errors import InputError


def accuracy(predicted: ArrayLike, true: ArrayLike) -> float:
    """Share of predictions that are right, from 0 to 1."""
    left, right = np.asarray(predicted), np.asarray(true)
    if left.shape != right.shape or left.size == 0:
        raise InputError(f"expected as many predictions as labels, at least one; got {left.shape} and {right.shape}")
    return float((left == right).mean())


def symbol_usage(codes: Codes) -> NDArray[np.int64]:
    """How many items use each symbol at each position, (d, k)."""
    symbols: NDArray[Any] = codes.unpack()
    spec = codes.spec
    cells = (symbols + np.arange(spec.d, dtype=np.int64) * spec.k).reshape(-1)
    return np.bincount(cells, minlength=spec.d * spec.k).reshape(spec.d, spec.k)


def dead_symbols(codes: Codes) -> int:
    """Number of (position, symbol) pairs that no item uses."""
    return int((symbol_usage(codes) == 0).sum())
