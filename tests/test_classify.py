import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from sklearn.neighbors import KNeighborsClassifier

from dimco.classify import VotingCodes, knn_predict, knn_votes
from dimco.codes import Codes
from dimco.errors import InputError
from dimco.spec import CodeSpec


@st.composite
def neighbourhoods(draw):
    """Queries whose tables hold small whole numbers, so that scores are exact and tie often."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d, k, classes = draw(st.integers(1, 40)), draw(st.integers(1, 3)), draw(st.integers(2, 4)), 3
    tables = -rng.integers(0, draw(st.sampled_from([1, 2, 5, 50])), (4, d, k))
    return tables, rng.integers(0, k, (n, d)), rng.integers(0, classes, n)


neighbour_counts = st.integers(1, 50)


def slow_votes(tables, symbols, labels, neighbours, weights="uniform", classes=3):
    """Go through the items one by one; those that tie at the last place share what room is left."""
    votes = np.zeros((len(tables), classes))
    for query, table in enumerate(tables):
        scores = [sum(table[i][symbol] for i, symbol in enumerate(codeword)) for codeword in symbols]
        wanted = min(neighbours, len(scores))
        last = sorted(scores, reverse=True)[wanted - 1]
        above = sum(score > last for score in scores)
        share = (wanted - above) / sum(score == last for score in scores)
        for score, label in zip(scores, labels, strict=True):
            vote = 1 if score > last else share if score == last else 0
            votes[query, label] += vote * (math.exp(score - max(scores)) if weights == "similarity" else 1)
    return votes


def votes(tables, symbols, labels, neighbours, weights="uniform", classes=3):
    support = VotingCodes.from_items(symbols, labels, classes)
    return knn_votes(torch.as_tensor(tables).float(), support, neighbours, weights)


@given(neighbourhoods(), neighbour_counts, st.sampled_from(["uniform", "similarity"]))
def test_votes_are_those_of_a_slow_loop_over_items(case, neighbours, weights):
    expected = slow_votes(*case, neighbours, weights)
    np.testing.assert_allclose(votes(*case, neighbours, weights), expected, atol=1e-9)


@pytest.mark.parametrize("values", [2, 9, 2000])
@pytest.mark.parametrize("neighbours", [1, 3, 7, 30])
def test_votes_among_many_codewords_are_those_of_a_slow_loop_too(rng, values, neighbours):
    tables, symbols = -rng.integers(0, values, (4, 3, 8)), rng.integers(0, 8, (300, 3))
    case = tables, symbols, rng.integers(0, 3, 300), neighbours
    np.testing.assert_allclose(votes(*case), slow_votes(*case), atol=1e-9)
    np.testing.assert_allclose(votes(*case, "similarity"), slow_votes(*case, "similarity"), atol=1e-9)


@given(neighbourhoods(), neighbour_counts)
def test_uniform_votes_sum_to_the_neighbours_there_are(case, neighbours):
    wanted = min(neighbours, len(case[1]))
    np.testing.assert_allclose(votes(*case, neighbours).sum(1), np.full(4, wanted))


@given(neighbourhoods(), neighbour_counts, st.randoms(use_true_random=False))
def test_the_order_of_the_support_does_not_matter(case, neighbours, random):
    tables, symbols, labels = case
    shuffled = np.array(random.sample(range(len(labels)), len(labels)))
    by_class = np.argsort(labels, kind="stable")
    expected = votes(tables, symbols, labels, neighbours)
    for order in (shuffled, by_class, by_class[::-1]):
        np.testing.assert_array_equal(votes(tables, symbols[order], labels[order], neighbours), expected)


def test_ties_do_not_favour_the_class_stored_first():
    symbols, labels = np.zeros((8, 2), int), np.array([0, 0, 1, 1, 1, 1, 1, 1])
    result = votes(np.zeros((1, 2, 2)), symbols, labels, neighbours=4, classes=2)
    np.testing.assert_allclose(result, [[1, 3]])


@pytest.mark.parametrize("neighbours", [1, 3, 10, 60])
def test_without_ties_votes_and_predictions_are_scikit_learns(rng, neighbours):
    spec = CodeSpec(5, 4)
    places = rng.choice(spec.capacity, 60, replace=False)
    symbols = np.stack(np.unravel_index(places, (5,) * 4), axis=1)
    labels, tables = rng.integers(0, 3, 60), rng.normal(size=(200, 4, 5))
    distances = np.array([[-sum(table[np.arange(4), codeword]) for codeword in symbols] for table in tables])
    reference = KNeighborsClassifier(neighbours, metric="precomputed").fit(np.zeros((60, 60)), labels)
    distances -= distances.min()
    np.testing.assert_allclose(
        votes(tables, symbols, labels, neighbours), neighbours * reference.predict_proba(distances), atol=1e-9
    )
    predicted = knn_predict(torch.from_numpy(tables).float(), Codes(symbols, spec), labels, neighbours)
    np.testing.assert_array_equal(predicted, reference.predict(distances))


def test_the_nearest_neighbour_of_a_stored_code_is_itself(rng):
    codes = Codes(rng.integers(0, 8, (50, 6)), CodeSpec(8, 6))
    labels = np.unique(codes.unpack(), axis=0, return_inverse=True)[1].reshape(-1)
    tables = torch.from_numpy(np.eye(8)[codes.unpack()]).float().log_softmax(-1)
    np.testing.assert_array_equal(knn_predict(tables, codes, labels, neighbours=1), labels)


def test_similarity_weights_prefer_one_close_item_to_two_far_ones():
    codes, labels = Codes([[0], [1], [1]], CodeSpec(2, 1)), np.array([1, 0, 0])
    tables = torch.tensor([[[0.9, 0.1]]]).log()
    assert knn_predict(tables, codes, labels, neighbours=3) == [0]
    assert knn_predict(tables, codes, labels, neighbours=3, weights="similarity") == [1]


def test_equal_votes_go_to_the_smaller_class():
    codes, labels = Codes([[0], [0], [1]], CodeSpec(2, 1)), np.array([2, 1, 0])
    assert knn_predict(torch.tensor([[[0.0, -1.0]]]), codes, labels, neighbours=2) == [1]


def test_more_queries_than_are_scored_at_once_are_all_answered(monkeypatch, rng):
    monkeypatch.setattr("dimco.classify._QUERIES_AT_ONCE", 3)
    tables, symbols, labels = rng.integers(-3, 1, (10, 2, 3)), rng.integers(0, 3, (20, 2)), rng.integers(0, 3, 20)
    np.testing.assert_allclose(votes(tables, symbols, labels, 7), slow_votes(tables, symbols, labels, 7))


def test_no_queries_give_no_votes(rng):
    assert votes(np.zeros((0, 2, 3)), rng.integers(0, 3, (5, 2)), np.zeros(5, int), 2).shape == (0, 3)


def test_grouped_codes_count_their_items(rng):
    symbols, labels = rng.integers(0, 2, (30, 2)), rng.integers(0, 3, 30)
    support = VotingCodes.from_items(symbols, labels, 3)
    assert support.items == 30
    for place, codeword in enumerate(support.symbols):
        mine = slice(support.starts[place], support.starts[place + 1])
        counts = dict(zip(support.members[mine].tolist(), support.counts[mine].tolist(), strict=True))
        here = labels[(symbols == codeword).all(1)]
        assert counts == {label: int((here == label).sum()) for label in set(here.tolist())}
        assert support.sizes[place] == len(here)


def test_wrong_arguments_are_refused():
    codes, labels, tables = Codes([[0], [1]], CodeSpec(2, 1)), np.array([0, 1]), torch.zeros(1, 1, 2)
    with pytest.raises(InputError, match="at least 1 neighbour; got 0"):
        knn_predict(tables, codes, labels, neighbours=0)
    with pytest.raises(InputError, match="expected weights"):
        knn_predict(tables, codes, labels, weights="distance")
    with pytest.raises(InputError, match="for codes of 2x1; got 3x1"):
        knn_predict(torch.zeros(1, 1, 3), codes, labels)
    with pytest.raises(InputError, match="as many labels as codes"):
        knn_predict(tables, codes, labels[:1])
    with pytest.raises(InputError, match="at least one"):
        knn_predict(tables, codes[:0], labels[:0])
