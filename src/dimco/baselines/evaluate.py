"""How well the neighbours that a quantizer finds vote."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

import numpy as np
from torch import Tensor

from dimco.baselines.base import Quantizer
from dimco.baselines.float_knn import FloatKNN
from dimco.classify import VotingCodes, Weights, nearest_codes, votes_of
from dimco.codes import Codes
from dimco.errors import InputError
from dimco.inputs import check_labels
from dimco.metrics import accuracy

_QUERIES_AT_ONCE = 128


def knn_top1(
    quantizer: Quantizer | FloatKNN,
    train_x: Any,
    train_y: Any,
    test_x: Any,
    test_y: Any,
    neighbours: int = 200,
    weights: Weights = "uniform",
) -> float:
    """Percent of test items whose label wins the vote of the nearest stored items; see `knn_accuracies`."""
    return knn_accuracies(quantizer, train_x, train_y, test_x, test_y, neighbours, (weights,))[weights]


def knn_accuracies(
    quantizer: Quantizer | FloatKNN,
    train_x: Any,
    train_y: Any,
    test_x: Any,
    test_y: Any,
    neighbours: int = 200,
    weights: Sequence[Weights] = ("uniform", "similarity"),
) -> dict[Weights, float]:
    """`knn_top1` for several ways to vote, which share the scores.

    Items of one codeword are scored once, and items that tie at the last place share it.

    Parameters
    ----------
    quantizer : Quantizer or FloatKNN
        Fitted.
    train_x, train_y
        The stored items, (N, features), and their labels, of any values.
    test_x, test_y
        The queries. One whose label no stored item has counts as an error.
    neighbours : int, default=200
        Items that vote; all of them if there are fewer.
    weights : sequence of {"uniform", "similarity"}
        "similarity" weighs each vote by exp(score), scaled to the best neighbour's.
    """
    if neighbours < 1:
        raise InputError(f"expected at least 1 neighbour; got {neighbours}")
    for name in weights:
        if name not in get_args(Weights):
            raise InputError(f'expected weights "uniform" or "similarity"; got {name!r}')
    stored: Any = quantizer.encode(train_x)
    classes, labels = np.unique(check_labels(train_y, len(stored)), return_inverse=True)
    queries = test_x if isinstance(test_x, Tensor) else np.asanyarray(test_x)
    truth = check_labels(test_y, len(queries))
    if len(queries) == 0:
        raise InputError("expected at least one item to classify; got none")
    if (truth.dtype.kind in "OUS") != (classes.dtype.kind in "OUS"):
        raise InputError(f"expected labels like the stored ones ({classes.dtype}); got {truth.dtype}")
    if isinstance(stored, Codes):
        support = VotingCodes.from_items(stored.unpack(), labels, len(classes))
        stored = Codes(support.symbols, stored.spec)
    else:
        support = VotingCodes.from_items(np.arange(len(stored))[:, None], labels, len(classes))
    winners: dict[Weights, list[Any]] = {name: [] for name in weights}
    for start in range(0, len(queries), _QUERIES_AT_ONCE):
        scores = quantizer.scores(queries[start : start + _QUERIES_AT_ONCE], stored)
        nearest = nearest_codes(scores, support, neighbours)
        for name, found in winners.items():
            found.append(votes_of(nearest, support, name).argmax(1))
    return {name: 100 * accuracy(classes[np.concatenate(found)], truth) for name, found in winners.items()}
