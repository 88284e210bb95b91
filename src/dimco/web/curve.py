"""Bits against accuracy: how much of a code is needed to tell the label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from dimco.classify import VotingCodes, knn_votes
from dimco.randomness import generator
from dimco.web.collection import Collection

_ASKED, _STORED = 500, 20_000
_NEIGHBOURS = 20
_MOST_POINTS = 32


class CurvePoint(NamedTuple):
    """Accuracy, from 0 to 1, of a vote over some positions of the code only."""

    positions: int
    accuracy: float


class Curve(NamedTuple):
    """Result of `accuracy_by_bits`.

    Attributes
    ----------
    order : list of int
        The positions, the most informative first.
    points : list of CurvePoint
        With the first 1, 2, ... of them; not every number where there are many positions.
    majority : float
        Accuracy of always guessing the most frequent label.
    asked, stored, neighbours : int
    """

    order: list[int]
    points: list[CurvePoint]
    majority: float
    asked: int
    stored: int
    neighbours: int


def accuracy_by_positions(
    tables: Tensor,
    truth: NDArray[np.int64],
    symbols: NDArray[Any],
    labels: NDArray[np.int64],
    order: Sequence[int],
    counts: Sequence[int],
    neighbours: int = _NEIGHBOURS,
) -> list[CurvePoint]:
    """Accuracy of the vote of the nearest stored items when only the first positions of `order` are compared.

    Parameters
    ----------
    tables : Tensor of shape (Q, d, k)
    truth : ndarray of shape (Q,)
    symbols, labels : ndarray of shape (N, d) and (N,)
    order : sequence of int
        Positions.
    counts : sequence of int
        How many positions each point takes.
    neighbours : int, default=20
    """
    classes = int(max(truth.max(), labels.max())) + 1
    points = []
    for count in counts:
        chosen = list(order[:count])
        support = VotingCodes.from_items(symbols[:, chosen], labels, classes)
        winners = knn_votes(tables[:, chosen], support, neighbours).argmax(1)
        points.append(CurvePoint(count, float((winners == truth).mean())))
    return points


def accuracy_by_bits(collection: Collection) -> Curve | None:
    """The curve of a sample of the items, held out of what is stored; None without labels or with under 3 items."""
    labels = collection.codebook.labels
    if labels is None or len(collection) < 3:
        return None
    shuffled = generator(0, "explorer").permutation(len(collection))
    asked = shuffled[: min(_ASKED, len(shuffled) // 3)]
    stored = shuffled[len(asked) :][:_STORED]
    order = np.argsort(-collection.codebook.position_information(), kind="stable").tolist()
    counts = np.unique(np.linspace(1, len(order), _MOST_POINTS).astype(int)).tolist()
    neighbours = min(_NEIGHBOURS, max(1, int(np.sqrt(len(stored)))))
    points = accuracy_by_positions(
        collection.tables(asked), labels[asked], collection.symbols[stored], labels[stored], order, counts, neighbours
    )
    majority = float((labels[asked] == np.bincount(labels[stored]).argmax()).mean())
    return Curve(order, points, majority, len(asked), len(stored), neighbours)
