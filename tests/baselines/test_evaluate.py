"""The vote of a quantizer's neighbours against a slow loop and scikit-learn."""

import numpy as np
import pytest
import torch
from sklearn.neighbors import KNeighborsClassifier

from dimco.baselines import FloatKNN, ProductQuantizer, ResidualQuantizer, ScalarQuantizer, evaluate, knn_top1
from dimco.errors import InputError
from dimco.spec import CodeSpec


@pytest.fixture
def split(rng):
    """Items and queries of 4 overlapping classes, labelled 7, -2, 40 and 11."""
    y = rng.integers(0, 4, size=160)
    x = (2 * np.eye(4, 6)[y] + rng.normal(size=(160, 6))).astype(np.float32)
    y = np.array([7, -2, 40, 11])[y]
    return x[:100], y[:100], x[100:], y[100:]


def slow_top1(scores, stored, truth, neighbours, similarity=False):
    """Each query's vote item by item; those that tie at the last place share it."""
    classes, right = sorted(set(stored)), 0
    for row, label in zip(scores.astype(np.float64), truth, strict=True):
        last = np.sort(row)[::-1][min(neighbours, len(row)) - 1]
        room = min(neighbours, len(row)) - (row > last).sum()
        share = (row > last) + (row == last) * room / (row == last).sum()
        weight = share * (np.exp(row - row.max()) if similarity else 1)
        votes = [round(weight[stored == each].sum(), 9) for each in classes]
        right += classes[int(np.argmax(votes))] == label
    return 100 * right / len(truth)


@pytest.mark.parametrize("neighbours", [1, 7, 1000])
@pytest.mark.parametrize("weights", ["uniform", "similarity"])
@pytest.mark.parametrize("kind", [ProductQuantizer, ScalarQuantizer, ResidualQuantizer])
def test_equals_a_slow_vote_of_every_item(split, kind, neighbours, weights):
    x, y, query_x, query_y = split
    quantizer = kind(CodeSpec(4, 2)).fit(x)
    scores = quantizer.scores(query_x, quantizer.encode(x)).numpy()
    expected = slow_top1(scores, y, query_y, neighbours, weights == "similarity")
    assert knn_top1(quantizer, *split, neighbours, weights) == pytest.approx(expected)


def test_floats_vote_as_in_scikit_learn(split):
    x, y, query_x, query_y = split
    theirs = KNeighborsClassifier(7, algorithm="brute").fit(x, y).score(query_x, query_y)
    assert knn_top1(FloatKNN().fit(x), *split, neighbours=7) == pytest.approx(100 * theirs)


def test_pieces_of_queries_change_nothing(split, monkeypatch):
    quantizer = ProductQuantizer(CodeSpec(4, 2)).fit(split[0])
    whole = knn_top1(quantizer, *split, 9)
    monkeypatch.setattr(evaluate, "_QUERIES_AT_ONCE", 7)
    assert knn_top1(quantizer, *split, 9) == whole


def test_the_order_of_items_changes_nothing(split, rng):
    x, y, query_x, query_y = split
    quantizer = ProductQuantizer(CodeSpec(2, 2)).fit(x)
    order = rng.permutation(len(x))
    assert knn_top1(quantizer, *split, 9) == knn_top1(quantizer, x[order], y[order], query_x, query_y, 9)


def test_names_lists_and_tensors_are_read(split):
    x, y, query_x, query_y = split
    quantizer = ProductQuantizer(CodeSpec(4, 2)).fit(x)
    expected = knn_top1(quantizer, *split, 9)
    assert knn_top1(quantizer, x.tolist(), y.tolist(), torch.from_numpy(query_x), query_y, 9) == expected
    names = {7: "b", -2: "a", 40: "d", 11: "c"}
    stored, asked = ([names[label] for label in labels] for labels in (y, query_y))
    assert knn_top1(quantizer, x, stored, query_x, asked, 9) == expected


def test_a_label_not_stored_is_an_error_of_the_vote(split):
    x, y, query_x, query_y = split
    assert knn_top1(FloatKNN().fit(x), x, y, query_x, np.full(len(query_y), 99)) == 0


def test_unfit_input_is_refused(split):
    x, y, query_x, query_y = split
    knn = FloatKNN().fit(x)
    with pytest.raises(InputError, match="at least 1 neighbour; got 0"):
        knn_top1(knn, *split, neighbours=0)
    with pytest.raises(InputError, match='expected weights "uniform" or "similarity"; got \'cubic\''):
        knn_top1(knn, *split, weights="cubic")
    with pytest.raises(InputError, match="expected 100 labels"):
        knn_top1(knn, x, y[:-1], query_x, query_y)
    with pytest.raises(InputError, match="expected 60 labels"):
        knn_top1(knn, x, y, query_x, query_y[:-1])
    with pytest.raises(InputError, match="at least one item to classify"):
        knn_top1(knn, x, y, query_x[:0], query_y[:0])
    with pytest.raises(InputError, match="call fit first"):
        knn_top1(ProductQuantizer(CodeSpec(4, 2)), *split)
    with pytest.raises(InputError, match="expected labels like the stored ones"):
        knn_top1(knn, x, y, query_x, query_y.astype(str))
