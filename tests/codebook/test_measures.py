"""Information measures of counts, against slow sums and scikit-learn."""

from __future__ import annotations

from collections import Counter
from math import log

import numpy as np
import pytest
from sklearn.metrics import mutual_info_score

from dimco.codebook import measures


@pytest.fixture
def symbols(rng):
    """Codes of 4x3 where position 2 repeats position 0 often."""
    symbols = rng.integers(4, size=(200, 3))
    symbols[:150, 2] = symbols[:150, 0]
    return symbols


@pytest.fixture
def labels(rng, symbols):
    return np.where(rng.random(200) < 0.6, symbols[:, 0], rng.integers(4, size=200))


def slow_entropy(values):
    counts = Counter(values)
    return -sum(count / len(values) * log(count / len(values)) for count in counts.values())


def class_counts(symbols, labels):
    counts = np.zeros((3, 4, 4), dtype=np.int64)
    for row, label in zip(symbols, labels, strict=True):
        for position, symbol in enumerate(row):
            counts[position, symbol, label] += 1
    return counts


def test_entropy_of_counts_is_that_of_their_frequencies():
    assert measures.entropy_of_counts(np.array([3, 0, 1])) == pytest.approx(slow_entropy("aaab"))
    np.testing.assert_allclose(measures.entropy_of_counts(np.array([[2, 2], [4, 0]]), -1), [log(2), 0])
    assert measures.entropy_of_counts(np.zeros(3)) == 0


def test_symbol_information_is_that_of_having_the_symbol(symbols, labels):
    found = measures.symbol_information(class_counts(symbols, labels))
    for position, symbol in np.ndindex(3, 4):
        has = symbols[:, position] == symbol
        assert found[position, symbol] == pytest.approx(mutual_info_score(has, labels), abs=1e-12)


def test_position_information_is_that_of_the_symbol(symbols, labels):
    found = measures.position_information(class_counts(symbols, labels))
    slow = [mutual_info_score(symbols[:, position], labels) for position in range(3)]
    np.testing.assert_allclose(found, slow, atol=1e-12)


def test_lift_is_how_much_more_frequent_a_class_is(symbols, labels):
    lift = measures.class_lift(class_counts(symbols, labels))
    here = labels[symbols[:, 1] == 2]
    assert lift[1, 2, 3] == pytest.approx((here == 3).mean() / (labels == 3).mean())


def test_lift_of_symbols_and_classes_without_items_is_zero():
    counts = np.array([[[2, 0, 0], [0, 0, 0], [1, 1, 0]]])
    np.testing.assert_allclose(measures.class_lift(counts)[0], [[4 / 3, 0, 0], [0, 0, 0], [2 / 3, 2, 0]])


def test_pairwise_information_is_symmetric_with_entropies_on_its_diagonal(symbols):
    found = measures.pairwise_information(symbols, 4)
    for i, j in np.ndindex(3, 3):
        assert found[i, j] == pytest.approx(mutual_info_score(symbols[:, i], symbols[:, j]), abs=1e-12)
    assert found[1, 1] == pytest.approx(slow_entropy(symbols[:, 1].tolist()))


def test_total_correlation_is_the_entropies_less_the_joint_entropy(symbols):
    found = measures.total_correlation(symbols)
    joint = slow_entropy(list(map(tuple, symbols.tolist())))
    alone = sum(slow_entropy(column.tolist()) for column in symbols.T)
    assert found.plug_in == pytest.approx((alone - joint) / log(2))
    assert (found.codewords, found.items) == (len({tuple(row) for row in symbols.tolist()}), 200)
    correction = (3 * 3 - (found.codewords - 1)) / (2 * 200)
    assert found.corrected == pytest.approx(found.plug_in + correction / log(2))


def test_total_correlation_of_two_positions_is_their_information(symbols):
    found = measures.total_correlation(symbols[:, [0, 2]])
    assert found.plug_in == pytest.approx(mutual_info_score(symbols[:, 0], symbols[:, 2]) / log(2))


def test_the_correction_takes_most_of_the_bias_of_independent_positions(rng):
    found = measures.total_correlation(rng.integers(4, size=(1000, 3)))
    assert found.plug_in > 0.02
    assert found.corrected < found.plug_in / 2
