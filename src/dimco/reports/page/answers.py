"""What the nearest stored codes answer for each query, and where they are wrong."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dimco.classify import VotingCodes, knn_votes
from dimco.model import CodeModel

_QUERIES_AT_ONCE = 1_024


class Answers(NamedTuple):
    """The vote for each query; classes are places in a list of names, the support's first.

    Attributes
    ----------
    names : list of str
    truth, predicted : ndarray of shape (Q,), int64
    shares : ndarray of shape (Q,)
        The winner's share of the vote.
    """

    names: list[str]
    truth: NDArray[np.int64]
    predicted: NDArray[np.int64]
    shares: NDArray[np.float64]

    @property
    def wrong(self) -> NDArray[np.int64]:
        """The queries answered wrongly, the surest first."""
        places = np.flatnonzero(self.truth != self.predicted)
        return places[np.argsort(-self.shares[places], kind="stable")]


def answers(model: CodeModel, support: tuple[Any, Any], query: tuple[Any, Any], neighbours: int) -> Answers:
    """Store the codes of the support, and let the nearest of them vote on each query."""
    classes, stored = np.unique(support[1], return_inverse=True)
    voting = VotingCodes.from_items(model.encode(support[0]).unpack(), stored, len(classes))
    predicted, shares = [], []
    for start in range(0, len(query[0]), _QUERIES_AT_ONCE):
        votes = knn_votes(model.log_probs(query[0][start : start + _QUERIES_AT_ONCE]), voting, neighbours)
        predicted.append(votes.argmax(1))
        shares.append(votes.max(1) / votes.sum(1))
    unseen = np.setdiff1d(query[1], classes)
    every = np.concatenate([classes, unseen])
    order = np.argsort(every, kind="stable")
    truth = order[np.searchsorted(every[order], query[1])]
    return Answers([str(name) for name in every], truth, np.concatenate(predicted), np.concatenate(shares))


def confusions(found: Answers, most: int = 10) -> list[dict[str, Any]]:
    """The most frequent errors: a record for each pair of a true and a predicted class."""
    pairs = Counter(zip(found.truth[found.wrong].tolist(), found.predicted[found.wrong].tolist(), strict=True))
    sizes = np.bincount(found.truth, minlength=len(found.names))
    return [
        {"truth": found.names[a], "predicted": found.names[b], "items": count, "share": count / int(sizes[a])}
        for (a, b), count in pairs.most_common(most)
    ]


def class_accuracies(found: Answers) -> list[dict[str, Any]]:
    """Accuracy of each class that is asked for, the lowest first."""
    sizes = np.bincount(found.truth, minlength=len(found.names))
    right = np.bincount(found.truth[found.truth == found.predicted], minlength=len(found.names))
    records = [
        {"class": found.names[c], "items": int(sizes[c]), "accuracy": float(right[c] / sizes[c])}
        for c in np.flatnonzero(sizes)
    ]
    return sorted(records, key=lambda record: record["accuracy"])
