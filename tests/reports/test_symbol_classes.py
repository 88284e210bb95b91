"""Classes of symbols, against loops."""

import numpy as np

from dimco.reports.symbol_classes import class_shares, reading_order, symbol_class_counts


def test_counts_are_those_of_a_loop(rng):
    symbols, labels = rng.integers(0, 4, (50, 3)).astype(np.uint8), rng.integers(0, 5, 50)
    slow = np.zeros((3, 4, 5), dtype=int)
    for item, label in zip(symbols, labels, strict=True):
        for position, symbol in enumerate(item):
            slow[position, symbol, label] += 1
    np.testing.assert_array_equal(symbol_class_counts(symbols, labels, 4, 5), slow)


def test_shares_sum_to_one_for_used_symbols_and_are_zero_for_others():
    shares = class_shares(np.array([[[3, 1], [0, 0]]]))
    np.testing.assert_array_equal(shares, [[[0.75, 0.25], [0, 0]]])


def test_symbols_are_read_by_main_class_and_the_purest_first():
    values = np.array([[0.1, 0.9], [0, 0], [0.6, 0.4], [0.8, 0.2], [0, 1.0]])
    assert reading_order(values).tolist() == [3, 2, 4, 0]
