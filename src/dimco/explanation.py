"""Why an item has its code, and why two items are near: pure functions on log probabilities."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from dimco.errors import InputError


class Explanation(NamedTuple):
    """The codes of N items with how sure each symbol is; every array is (N, d).

    Attributes
    ----------
    codes : ndarray of int
        The stored symbols (eq. 3).
    probabilities : ndarray of float
        p of each stored symbol (eq. 2).
    runners_up : ndarray of int
        The second most likely symbols.
    runner_up_probabilities : ndarray of float
    """

    codes: NDArray[np.int64]
    probabilities: NDArray[np.float64]
    runners_up: NDArray[np.int64]
    runner_up_probabilities: NDArray[np.float64]


class Comparison(NamedTuple):
    """One item as query, another as stored code.

    Attributes
    ----------
    query, stored : ndarray of shape (d,), int
        The codes of both.
    agree : ndarray of shape (d,), bool
        Where the codes have the same symbol.
    shares : ndarray of shape (d,)
        log p_i[stored_i](query): what each position adds to the score, 0 where it is certain.
    score : float
        Their sum, the similarity of the query to the stored code (eq. 8).
    best : float
        The score of the query against its own code, which no code exceeds.
    """

    query: NDArray[np.int64]
    stored: NDArray[np.int64]
    agree: NDArray[np.bool_]
    shares: NDArray[np.float64]
    score: float
    best: float


def explain_codes(log_probs: Tensor) -> Explanation:
    """The stored symbols of each item and their runners-up, from log p of shape (N, d, k); ties as in eq. 3."""
    if log_probs.ndim != 3 or log_probs.shape[-1] < 2:
        raise InputError(f"expected log probabilities of shape (N, d, k), k at least 2; got {tuple(log_probs.shape)}")
    codes = log_probs.argmax(-1, keepdim=True)
    others = log_probs.scatter(-1, codes, -float("inf"))
    second = others.argmax(-1, keepdim=True)
    probabilities = (log_probs.gather(-1, place).double().exp()[..., 0].numpy() for place in (codes, second))
    first_p, second_p = probabilities
    return Explanation(codes[..., 0].numpy(), first_p, second[..., 0].numpy(), second_p)


def compare_codes(query: Tensor, stored: Tensor) -> Comparison:
    """Which positions agree, and each position's share of the score (eq. 8).

    Parameters
    ----------
    query, stored : Tensor of shape (d, k)
        log p of the query, which keeps its probabilities, and of the item whose code is stored.
    """
    if query.ndim != 2 or query.shape != stored.shape:
        raise InputError(f"expected log probabilities of two items, both (d, k); got {query.shape}, {stored.shape}")
    own, other = query.argmax(-1), stored.argmax(-1)
    shares = query.gather(-1, other[:, None])[:, 0].double().numpy()
    best = float(query.max(-1).values.double().sum())
    return Comparison(own.numpy(), other.numpy(), (own == other).numpy(), shares, float(shares.sum()), best)
