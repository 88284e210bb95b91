"""One cell of the comparison: a method, a code and a seed, measured by the tie-aware kNN vote."""

from __future__ import annotations

import time

from dimco.baselines import FloatKNN, Quantizer
from dimco.baselines.evaluate import knn_accuracies
from dimco.experiments.compression.data import Embeddings
from dimco.spec import CodeSpec

NEIGHBOURS = 200


def measure(quantizer: Quantizer | FloatKNN, data: Embeddings) -> dict[str, float]:
    """Fit on the training set, store its codes, and classify the test set by them.

    Returns
    -------
    dict
        `top1` and `top1_weighted` in percent (plain and similarity-weighted votes), `fit_seconds` and
        `vote_seconds`; the latter holds the encoding of the training set.
    """
    start = time.perf_counter()
    quantizer.fit(data.x, data.y)
    fitted = time.perf_counter()
    found = knn_accuracies(quantizer, data.x, data.y, data.query, data.truth, NEIGHBOURS)
    return {
        "top1": found["uniform"],
        "top1_weighted": found["similarity"],
        "fit_seconds": round(fitted - start, 2),
        "vote_seconds": round(time.perf_counter() - fitted, 2),
    }


def measure_network(data: Embeddings) -> dict[str, float] | None:
    """The network's own prediction, which takes ceil(log2 classes) bits; None where its last layer is not at hand."""
    if data.predicted is None:
        return None
    return {"top1": 100 * float((data.predicted == data.truth).mean())}


def network_spec(classes: int) -> CodeSpec:
    """The code of a class index: one position, a symbol a class."""
    return CodeSpec(classes, 1)
