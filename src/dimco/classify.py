"""Classification by votes of stored items: k nearest neighbours, with ties counted by share.

Discrete codes tie massively. Where items tie at the last place of the neighbourhood, each of them votes
with the share of the places left, so that the order in which items are stored decides nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from dimco.codes import Codes
from dimco.errors import InputError
from dimco.similarity import code_scores
from dimco.spec import CodeSpec

Weights = Literal["uniform", "similarity"]

_QUERIES_AT_ONCE = 128
_VOTE_DIGITS = 9  # sums of shares that are equal on paper compare equal


@dataclass(frozen=True)
class VotingCodes:
    """Stored codes grouped by codeword, with how many items of each class share it.

    Attributes
    ----------
    symbols : ndarray of shape (U, d)
        The distinct codewords.
    starts : ndarray of shape (U + 1,)
        Where each codeword's entries start.
    members, counts : ndarray of shape (E,)
        Class index and number of items of each entry.
    sizes : ndarray of shape (U,)
        Items of each codeword.
    classes : int
    """

    symbols: NDArray[Any]
    starts: NDArray[np.int64]
    members: NDArray[np.int64]
    counts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    classes: int

    @classmethod
    def from_items(cls, symbols: NDArray[Any], labels: NDArray[np.int64], classes: int) -> VotingCodes:
        """Group items, given as rows of symbols and their class indices."""
        if len(symbols) == 0 or labels.shape != (len(symbols),):
            raise InputError(f"expected as many labels as codes, at least one; got {len(labels)} and {len(symbols)}")
        codewords, index = np.unique(symbols, axis=0, return_inverse=True)
        entries, counts = np.unique(index.reshape(-1).astype(np.int64) * classes + labels, return_counts=True)
        owners = entries // classes
        starts = np.searchsorted(owners, np.arange(len(codewords) + 1))
        sizes = np.bincount(owners, weights=counts, minlength=len(codewords)).astype(np.int64)
        return cls(codewords, starts, entries % classes, counts, sizes, classes)

    @property
    def items(self) -> int:
        return int(self.sizes.sum())


def knn_votes(
    tables: Tensor, support: VotingCodes, neighbours: int = 200, weights: Weights = "uniform"
) -> NDArray[np.float64]:
    """Votes of each class among the nearest stored items of each query, (Q, classes).

    Parameters
    ----------
    tables : Tensor of shape (Q, d, k)
        log p of the queries (eq. 2); the similarity is eq. 8.
    support : VotingCodes
    neighbours : int, default=200
        Items that vote; all of them if there are fewer.
    weights : {"uniform", "similarity"}, default="uniform"
        "similarity" weighs each vote by exp(score), which for log p is the probability that the query
        is given the neighbour's code; votes are scaled to the best neighbour's.

    Returns
    -------
    ndarray of shape (Q, classes)
        With uniform weights each row sums to `neighbours`.
    """
    if neighbours < 1:
        raise InputError(f"expected at least 1 neighbour; got {neighbours}")
    if weights not in ("uniform", "similarity"):
        raise InputError(f'expected weights "uniform" or "similarity"; got {weights!r}')
    parts = [
        votes_from_scores(code_scores(piece, support.symbols), support, neighbours, weights)
        for piece in tables.split(_QUERIES_AT_ONCE)
    ]
    return np.concatenate(parts)


def votes_from_scores(
    scores: Tensor, support: VotingCodes, neighbours: int, weights: Weights = "uniform"
) -> NDArray[np.float64]:
    """`knn_votes` for scores (Q, U) of the queries against each codeword of the support."""
    wanted = min(neighbours, support.items)
    top = scores.topk(min(wanted, scores.shape[1]), dim=1)
    values, places = top.values.numpy(), top.indices.numpy()
    reached = np.cumsum(support.sizes[places], axis=1)
    last = np.argmax(reached >= wanted, axis=1)
    threshold = values[np.arange(len(values)), last]
    above = values > threshold[:, None]
    room = wanted - np.where(above, support.sizes[places], 0).sum(1)

    tied_query, tied_code = np.nonzero(scores.numpy() == threshold[:, None])
    tied_items = np.bincount(tied_query, weights=support.sizes[tied_code], minlength=len(values))
    above_query, column = np.nonzero(above)
    query = np.concatenate([above_query, tied_query])
    code = np.concatenate([places[above_query, column], tied_code])
    share = np.concatenate([np.ones(len(above_query)), (room / tied_items)[tied_query]])
    if weights == "similarity":
        share *= np.exp(scores.numpy()[query, code].astype(np.float64) - values[query, 0])
    votes = _spread(query, code, share, support, len(values))
    return np.round(votes, _VOTE_DIGITS)


def _spread(
    query: NDArray[np.int64], code: NDArray[np.int64], share: NDArray[np.float64], support: VotingCodes, queries: int
) -> NDArray[np.float64]:
    """Add each codeword's share to its query's classes, once for every item of the codeword."""
    lengths = support.starts[code + 1] - support.starts[code]
    first = np.repeat(support.starts[code] - np.cumsum(lengths) + lengths, lengths)
    entry = first + np.arange(len(first))
    cell = np.repeat(query, lengths) * support.classes + support.members[entry]
    amount = np.repeat(share, lengths) * support.counts[entry]
    votes = np.bincount(cell, weights=amount, minlength=queries * support.classes).astype(np.float64)
    return votes.reshape(queries, support.classes)


def knn_predict(
    tables: Tensor,
    codes: Codes,
    labels: NDArray[np.int64],
    neighbours: int = 200,
    weights: Weights = "uniform",
) -> NDArray[np.int64]:
    """The class index with most votes for each query, the smaller one of two equal."""
    expected = (codes.spec.d, codes.spec.k)
    if tuple(tables.shape[1:]) != expected:
        got = CodeSpec(tables.shape[2], tables.shape[1])
        raise InputError(f"expected log probabilities for codes of {codes.spec}; got {got}")
    support = VotingCodes.from_items(codes.unpack(), labels, int(labels.max(initial=0)) + 1)
    winners: NDArray[np.int64] = knn_votes(tables, support, neighbours, weights).argmax(1)
    return winners
