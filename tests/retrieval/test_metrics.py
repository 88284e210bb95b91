"""Metrics of retrieval against enumeration of all orders of ties, scikit-learn and pytorch-metric-learning."""

import itertools

import numpy as np
import pytest
import torch
from sklearn.metrics import normalized_mutual_info_score

from dimco.errors import InputError
from dimco.retrieval.metrics import (
    mean_average_precision_at_r,
    normalized_mutual_information,
    recall_at,
    retrieval_metrics,
    shared_information,
)

RANKS = (1, 2, 3, 5, 20)


def metrics_of_an_order(right, wanted):
    recall = [any(right[:rank]) for rank in RANKS]
    precision = sum(sum(right[: place + 1]) / (place + 1) for place in range(wanted) if right[place]) / wanted
    return np.array([*recall, precision], dtype=float)


def enumerated(scores, query_labels, stored_labels, own=None):
    """Means over queries of means over every order of the items that falls in score."""
    found = []
    for query, row in enumerate(scores):
        items = [i for i in range(len(row)) if own is None or i != own[query]]
        right = [stored_labels[i] == query_labels[query] for i in items]
        if not any(right):
            continue
        values = [row[i] for i in items]
        orders = [
            order
            for order in itertools.permutations(range(len(items)))
            if all(values[a] >= values[b] for a, b in itertools.pairwise(order))
        ]
        found.append(np.mean([metrics_of_an_order([right[i] for i in o], sum(right)) for o in orders], axis=0))
    return np.mean(found, axis=0)


@pytest.mark.parametrize("levels", [1, 2, 3, 100])
@pytest.mark.parametrize("excluded", [False, True])
def test_ties_count_as_the_mean_over_all_their_orders(levels, excluded):
    rng = np.random.default_rng(levels)
    scores = rng.integers(levels, size=(6, 7)).astype(np.float32)
    query_labels, stored_labels = rng.integers(3, size=6), rng.integers(3, size=7)
    own = rng.permutation(7)[:6] if excluded else None
    expected = enumerated(scores, query_labels, stored_labels, own)
    recall, precision = retrieval_metrics(torch.from_numpy(scores), query_labels, stored_labels, RANKS, own)
    assert [*recall.values(), precision] == pytest.approx(expected)
    assert recall_at(scores, query_labels, stored_labels, RANKS, own) == recall
    assert mean_average_precision_at_r(scores, query_labels, stored_labels, own) == precision


def test_a_duplicate_of_the_query_counts_and_the_query_itself_does_not():
    scores = [[5.0, 5.0, 1.0], [5.0, 5.0, 1.0], [1.0, 1.0, 5.0]]
    labels = [0, 1, 0]
    found = recall_at(np.array(scores), labels, labels, ranks=(1, 2), own=[0, 1, 2])
    assert found == {1: pytest.approx(0.25), 2: pytest.approx(1.0)}


def test_the_query_is_left_out_even_where_other_items_score_minus_infinity():
    scores = np.array([[0.0, -np.inf, -np.inf]])
    assert recall_at(scores, [0], [0, 1, 0], ranks=(1, 2), own=[0]) == {1: 0.5, 2: 1.0}


def test_blocks_of_rows_give_what_the_whole_gives():
    rng = np.random.default_rng(0)
    scores = torch.from_numpy(rng.integers(4, size=(700, 40)).astype(np.float32))
    labels, stored = rng.integers(5, size=700), rng.integers(5, size=40)
    whole = retrieval_metrics(scores, labels, stored)
    in_blocks = retrieval_metrics(iter(scores.split([1, 399, 300])), labels, stored)
    assert in_blocks.map_at_r == pytest.approx(whole.map_at_r)
    assert list(in_blocks.recall.values()) == pytest.approx(list(whole.recall.values()))


def test_without_ties_all_agree_with_pytorch_metric_learning():
    calculator = pytest.importorskip("pytorch_metric_learning.utils.accuracy_calculator")
    knn = pytest.importorskip("pytorch_metric_learning.utils.inference")
    rng = np.random.default_rng(1)
    x = torch.from_numpy(rng.normal(size=(60, 5)).astype(np.float32))
    labels = torch.from_numpy(rng.integers(6, size=60))
    reference = calculator.AccuracyCalculator(
        include=("precision_at_1", "mean_average_precision_at_r"),
        k="max_bin_count",
        knn_func=knn.CustomKNN(knn_distance()),
        device=torch.device("cpu"),
    ).get_accuracy(x, labels)
    found = retrieval_metrics(-torch.cdist(x, x), labels, labels, own=np.arange(60))
    assert found.recall[1] == pytest.approx(reference["precision_at_1"])
    assert found.map_at_r == pytest.approx(reference["mean_average_precision_at_r"])


def knn_distance():
    from pytorch_metric_learning.distances import LpDistance

    return LpDistance(normalize_embeddings=False)


def test_shared_information_is_that_of_scikit_learn():
    rng = np.random.default_rng(2)
    for left, right in [(rng.integers(4, size=50), rng.integers(6, size=50)), (np.arange(50), np.arange(50) // 2)]:
        expected = normalized_mutual_info_score(left, right)
        assert shared_information(torch.from_numpy(left), torch.from_numpy(right)) == pytest.approx(expected)


def test_clusters_far_apart_tell_their_labels_entirely():
    rng = np.random.default_rng(3)
    labels = np.repeat(np.arange(5), 40)
    x = torch.from_numpy((10 * np.eye(5)[labels] + 0.1 * rng.normal(size=(200, 5))).astype(np.float32))
    assert normalized_mutual_information(x, labels, restarts=8) == pytest.approx(1.0)
    assert normalized_mutual_information(x, rng.permutation(labels)) < 0.2


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((torch.zeros(2, 3), [0, 1], [0, 1]), "2 queries by 2 items"),
        ((torch.zeros(2, 3), [0, 1, 1], [0, 1, 2]), "scores of 3 queries; got 2"),
        ((torch.zeros(1, 2), [0], [1, 1]), "another stored item of its label"),
        ((torch.zeros(1, 2), [0], [1, 0], (0,)), "ranks of at least 1"),
        ((torch.zeros(1, 2), [0], [1, 0], (1,), [0, 1]), "own index of each of 1 queries"),
    ],
)
def test_scores_that_do_not_fit_are_refused(arguments, said):
    with pytest.raises(InputError, match=said):
        retrieval_metrics(*arguments)
