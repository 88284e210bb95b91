"""How good a model's codes are: kNN accuracy, size and information on data it has not seen."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from dimco.classify import VotingCodes, Weights, knn_votes
from dimco.errors import InputError
from dimco.information import information_of_means
from dimco.inputs import check_labels
from dimco.metrics import dead_symbols
from dimco.model import CodeModel

_QUERIES_AT_ONCE = 1_024


@dataclass(frozen=True)
class Evaluation:
    """Result of `evaluate`.

    Attributes
    ----------
    top1 : float
        Percent of queries whose label wins the vote of the nearest stored codes.
    bits : int
        Bits an item.
    ratio : float
        How many times smaller than the features in float32.
    information_bits : float
        I(X; Y) of the queries (eq. 7: a sum over positions, which may exceed `label_bits`).
    label_bits : float
        H(Y) of the queries.
    dead_symbols, symbols : int
        (Position, symbol) pairs that no stored item uses, of how many.
    neighbours : int
    support_items, query_items : int
    seconds : float
    """

    top1: float
    bits: int
    ratio: float
    information_bits: float
    label_bits: float
    dead_symbols: int
    symbols: int
    neighbours: int
    support_items: int
    query_items: int
    seconds: float


def evaluate(
    model: CodeModel,
    support: tuple[Any, Any],
    query: tuple[Any, Any],
    neighbours: int = 200,
    weights: Weights = "uniform",
) -> Evaluation:
    """Store the codes of the support and classify the queries by their votes.

    Parameters
    ----------
    model : CodeModel
    support, query : (features, labels)
        Features may be memory-mapped. A query whose label the support lacks counts as an error.
    neighbours : int, default=200
        Items that vote; ties at the last place share it.
    weights : {"uniform", "similarity"}, default="uniform"
    """
    start = time.perf_counter()
    x, y = query
    classes, stored = np.unique(check_labels(support[1], len(support[0])), return_inverse=True)
    truth = check_labels(y, len(x))
    if (truth.dtype.kind in "OUS") != (classes.dtype.kind in "OUS"):
        raise InputError(f"expected query labels like the support's ({classes.dtype}); got {truth.dtype}")
    codes = model.encode(support[0])
    voting = VotingCodes.from_items(codes.unpack(), stored, len(classes))
    label_values, label_index = np.unique(truth, return_inverse=True)
    sums = torch.zeros(len(label_values), model.spec.d, model.spec.k)
    right = 0
    for begin in range(0, len(x), _QUERIES_AT_ONCE):
        rows = slice(begin, begin + _QUERIES_AT_ONCE)
        log_probs = model.log_probs(x[rows])
        winners = knn_votes(log_probs, voting, neighbours, weights).argmax(1)
        right += int((classes[winners] == truth[rows]).sum())
        sums.index_add_(0, torch.from_numpy(label_index[rows]), log_probs.exp())
    frequencies = np.bincount(label_index) / len(truth)
    information = _information(sums, frequencies, len(truth))
    return Evaluation(
        top1=100 * right / len(truth),
        bits=model.spec.bits,
        ratio=model.spec.ratio(math.prod(x.shape[1:])),
        information_bits=information / math.log(2),
        label_bits=float(-(frequencies * np.log2(frequencies)).sum()),
        dead_symbols=dead_symbols(codes),
        symbols=model.spec.k * model.spec.d,
        neighbours=min(neighbours, len(codes)),
        support_items=len(codes),
        query_items=len(truth),
        seconds=time.perf_counter() - start,
    )


def _information(sums: torch.Tensor, frequencies: NDArray[np.float64], items: int) -> float:
    weights = torch.from_numpy(frequencies).float()
    return float(information_of_means(sums / (weights * items)[:, None, None], weights))
