"""Evaluation of a model, against a slow loop over the whole data."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from sklearn.datasets import make_blobs

from dimco import evaluation
from dimco.errors import InputError
from dimco.evaluation import evaluate
from dimco.fitting import FitSettings, fit_code
from dimco.information import mutual_information


@pytest.fixture(scope="module")
def data():
    X, y = make_blobs(500, 5, centers=4, cluster_std=4.0, random_state=0)
    return (X[:300], y[:300]), (X[300:], y[300:])


@pytest.fixture(scope="module")
def model(data):
    (X, y), _ = data
    return fit_code(X, y, 4, FitSettings(k=4, d=2, epochs=40)).model


def test_top1_is_the_share_of_queries_that_their_neighbours_name(data, model):
    (X, y), (Q, truth) = data
    codes, log_probs = model.encode(X).unpack(), model.log_probs(Q).numpy()
    right = 0
    for query, label in zip(log_probs, truth, strict=True):
        scores = np.array([sum(query[i, s] for i, s in enumerate(code)) for code in codes])
        order = np.sort(scores)[::-1]
        edge = order[9]
        above, tied = scores > edge + 1e-6, np.abs(scores - edge) <= 1e-6
        share = (10 - above.sum()) / tied.sum()
        votes = np.array([(above & (y == c)).sum() + share * (tied & (y == c)).sum() for c in range(4)])
        right += votes.argmax() == label
    assert evaluate(model, (X, y), (Q, truth), neighbours=10).top1 == pytest.approx(100 * right / len(Q))


def test_information_is_that_of_all_queries_together(data, model, monkeypatch):
    support, (Q, truth) = data
    whole = mutual_information(model.log_probs(Q).exp(), torch.from_numpy(truth)).item() / math.log(2)
    monkeypatch.setattr(evaluation, "_QUERIES_AT_ONCE", 64)
    assert evaluate(model, support, (Q, truth)).information_bits == pytest.approx(whole, abs=1e-4)


def test_sizes_are_counted(data, model):
    support, query = data
    result = evaluate(model, support, query, neighbours=1000)
    assert (result.bits, result.symbols, result.ratio) == (4, 8, 5 * 32 / 4)
    assert (result.support_items, result.query_items, result.neighbours) == (300, 200, 300)
    assert 0 <= result.dead_symbols <= 8 - 2


def test_a_query_of_a_class_without_support_counts_as_an_error(data, model):
    (X, y), (Q, truth) = data
    known = y != 3
    with_all = evaluate(model, (X, y), (Q, truth)).top1
    without = evaluate(model, (X[known], y[known]), (Q, truth)).top1
    assert without <= with_all
    assert without <= 100 * (truth != 3).mean()


def test_labels_of_two_kinds_are_refused(data, model):
    support, (Q, truth) = data
    with pytest.raises(InputError, match="expected query labels like the support's"):
        evaluate(model, support, (Q, truth.astype(str)))
