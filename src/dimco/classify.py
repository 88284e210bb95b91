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
_BLOCK = 16
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
        votes_of(nearest_codes(code_scores(piece, support.symbols), support, neighbours), support, weights)
        for piece in tables.split(_QUERIES_AT_ONCE)
    ]
    return np.concatenate(parts)


@dataclass(frozen=True)
class Nearest:
    """The codewords in the neighbourhoods of some queries, one entry a query and codeword.

    Attributes
    ----------
    query, code : ndarray of shape (M,)
        Row of the query, and of the codeword in `VotingCodes.symbols`.
    share : ndarray of shape (M,)
        How much of each item of the codeword is in the neighbourhood: less than 1 where items tie at its edge.
    behind : ndarray of shape (M,)
        How far the score is behind the best of the query, at most 0.
    queries : int
    """

    query: NDArray[np.int64]
    code: NDArray[np.int64]
    share: NDArray[np.float64]
    behind: NDArray[np.float64]
    queries: int


def nearest_codes(scores: Tensor, support: VotingCodes, neighbours: int) -> Nearest:
    """The codewords of the best-scored items, from the scores (Q, U) of the queries against each codeword."""
    wanted = min(neighbours, support.items)
    bound = _reached_by(scores, min(wanted, scores.shape[1]))
    query, code = np.divmod(np.flatnonzero((scores >= bound[:, None]).numpy()), scores.shape[1])
    score = scores.numpy()[query, code]
    order = np.lexsort((-score, query))
    query, code, score = query[order], code[order], score[order]

    sizes = support.sizes[code]
    first = np.searchsorted(query, np.arange(len(scores)))
    passed = np.cumsum(sizes)
    reached = passed - (passed - sizes)[first][query] >= wanted
    last = first + np.add.reduceat(~reached, first, dtype=np.int64)
    edge = score[last][query]
    above, tied = score > edge, score == edge
    room = wanted - np.add.reduceat(np.where(above, sizes, 0), first)
    share = np.where(above, 1.0, (room / np.add.reduceat(np.where(tied, sizes, 0), first))[query])
    inside = above | tied
    behind = score.astype(np.float64) - score[first][query]
    return Nearest(query[inside], code[inside], share[inside], behind[inside], len(scores))


def votes_of(nearest: Nearest, support: VotingCodes, weights: Weights = "uniform") -> NDArray[np.float64]:
    """`knn_votes` for neighbourhoods that are at hand: each codeword's share goes to the classes of its items."""
    share = nearest.share if weights == "uniform" else nearest.share * np.exp(nearest.behind)
    lengths = support.starts[nearest.code + 1] - support.starts[nearest.code]
    first = np.repeat(support.starts[nearest.code] - np.cumsum(lengths) + lengths, lengths)
    entry = first + np.arange(len(first))
    cell = np.repeat(nearest.query, lengths) * support.classes + support.members[entry]
    amount = np.repeat(share, lengths) * support.counts[entry]
    votes = np.bincount(cell, weights=amount, minlength=nearest.queries * support.classes).astype(np.float64)
    return np.round(votes.reshape(nearest.queries, support.classes), _VOTE_DIGITS)


def _reached_by(scores: Tensor, count: int) -> Tensor:
    """A score that at least `count` codewords of each query reach, and not many more: (Q,).

    Each block of columns has one that reaches its largest, so the count-th largest of these will do.
    """
    queries, codes = scores.shape
    blocks = codes // _BLOCK
    if blocks >= count:
        scores = scores[:, : blocks * _BLOCK].reshape(queries, _BLOCK, blocks).amax(1)
    return scores.topk(count, dim=1, sorted=False).values.amin(1)


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
