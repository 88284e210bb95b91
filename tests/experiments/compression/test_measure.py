"""One cell: the vote over codes, against a slow vote over items."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import torch

from dimco.baselines import FloatKNN, ProductQuantizer, ScalarQuantizer
from dimco.codes import Codes
from dimco.experiments.compression import measure as module
from dimco.experiments.compression.data import Embeddings
from dimco.experiments.compression.measure import measure, measure_network, network_spec
from dimco.similarity import code_scores
from dimco.spec import CodeSpec

SPEC = CodeSpec(3, 2)


class Rounded:
    """A quantizer without training whose scores are whole numbers, so that many items tie."""

    name, bits = "rounded", SPEC.bits

    def fit(self, x, y=None):
        return self

    def encode(self, x):
        return Codes(np.abs(x[:, :2]).astype(int) % 3, SPEC)

    def scores(self, queries, codes):
        tables = torch.from_numpy(np.round(queries[:, :6]).reshape(-1, 2, 3))
        return code_scores(tables.float(), codes.unpack())


@pytest.fixture
def data(rng):
    """60 items of 3 classes and 40 queries, some of a class that training lacks."""
    x, query = (2 * rng.normal(size=(n, 6)) for n in (60, 40))
    return Embeddings("d", "b", x, rng.integers(0, 3, 60), query, rng.integers(-1, 3, 40), 3)


def slow_top1(scores, labels, truth, neighbours, weighted):
    """Percent right when items vote one by one, those at the edge of the neighbourhood with equal shares."""
    right = 0
    for row, label in zip(scores, truth, strict=True):
        edge = sorted(row, reverse=True)[min(neighbours, len(row)) - 1]
        above = [n for n, score in enumerate(row) if score > edge]
        tied = [n for n, score in enumerate(row) if score == edge]
        votes = dict.fromkeys(range(3), Fraction(0))
        for n in above + tied:
            share = Fraction(1) if n in above else Fraction(min(neighbours, len(row)) - len(above), len(tied))
            votes[labels[n]] += share * (Fraction(math.exp(row[n] - max(row))) if weighted else 1)
        right += max(votes, key=votes.__getitem__) == label
    return 100 * right / len(truth)


@pytest.mark.parametrize("neighbours", [1, 7, 25])
def test_codes_vote_as_their_items_would_one_by_one(data, monkeypatch, neighbours):
    monkeypatch.setattr(module, "NEIGHBOURS", neighbours)
    found = measure(Rounded(), data)
    scores = Rounded().scores(data.query, Rounded().encode(data.x)).tolist()
    for name, weighted in (("top1", False), ("top1_weighted", True)):
        assert found[name] == pytest.approx(slow_top1(scores, data.y, data.truth, neighbours, weighted))
    assert found["fit_seconds"] >= 0
    assert found["vote_seconds"] >= 0


@pytest.mark.parametrize("kind", [ProductQuantizer, ScalarQuantizer])
def test_quantizers_are_fitted_on_the_training_set(data, monkeypatch, kind):
    monkeypatch.setattr(module, "NEIGHBOURS", 5)
    found = measure(kind(CodeSpec(4, 3)), data)
    fitted = kind(CodeSpec(4, 3)).fit(data.x)
    scores = fitted.scores(data.query, fitted.encode(data.x)).tolist()
    assert found["top1"] == pytest.approx(slow_top1(scores, data.y, data.truth, 5, False))


def test_the_float_vote_is_by_euclidean_distance(data, monkeypatch):
    monkeypatch.setattr(module, "NEIGHBOURS", 5)
    whole = replace(data, x=np.round(data.x), query=np.round(data.query))
    scores = [[-sum((a - b) ** 2 for a, b in zip(q, x, strict=True)) for x in whole.x] for q in whole.query]
    found = measure(FloatKNN(), whole)
    for name, weighted in (("top1", False), ("top1_weighted", True)):
        assert found[name] == pytest.approx(slow_top1(scores, data.y, data.truth, 5, weighted))


def test_many_queries_are_asked_in_pieces(data, monkeypatch):
    monkeypatch.setattr(module, "NEIGHBOURS", 5)
    whole = [measure(Rounded(), data), measure(FloatKNN(), data)]
    monkeypatch.setattr("dimco.baselines.evaluate._QUERIES_AT_ONCE", 7)
    for before, after in zip(whole, [measure(Rounded(), data), measure(FloatKNN(), data)], strict=True):
        assert {name: before[name] for name in ("top1", "top1_weighted")}.items() <= after.items()


def test_the_order_of_the_support_changes_nothing(data, monkeypatch, rng):
    monkeypatch.setattr(module, "NEIGHBOURS", 5)
    order = rng.permutation(60)
    shuffled = replace(data, x=data.x[order], y=data.y[order])
    for found, again in (
        (measure(Rounded(), data), measure(Rounded(), shuffled)),
        (measure(FloatKNN(), data), measure(FloatKNN(), shuffled)),
    ):
        assert (found["top1"], found["top1_weighted"]) == (again["top1"], again["top1_weighted"])


def test_labels_that_training_lacks_are_never_right(data):
    foreign = replace(data, truth=np.full(40, -1))
    assert measure(Rounded(), foreign)["top1"] == 0
    assert measure(FloatKNN(), foreign)["top1_weighted"] == 0


def test_with_fewer_items_than_neighbours_all_vote(data):
    most = np.bincount(data.y).argmax()
    assert measure(Rounded(), data)["top1"] == pytest.approx(100 * np.mean(data.truth == most))


def test_the_networks_own_prediction_is_counted(data):
    predicted = data.truth.copy()
    predicted[data.truth == -1] = 2
    predicted[:10] = 7
    found = measure_network(replace(data, predicted=predicted))
    assert found == {"top1": pytest.approx(100 * np.mean(data.truth[10:] != -1) * 30 / 40)}
    assert measure_network(data) is None


@pytest.mark.parametrize(("classes", "bits"), [(2, 1), (10, 4), (100, 7), (128, 7), (129, 8)])
def test_a_class_index_takes_the_bits_that_number_the_classes(classes, bits):
    assert network_spec(classes).bits == bits
