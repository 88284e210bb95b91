import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score

from dimco.codes import Codes
from dimco.errors import InputError
from dimco.metrics import accuracy, dead_symbols, symbol_usage
from dimco.spec import CodeSpec


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1))
def test_accuracy_is_scikit_learns(pairs):
    predicted, true = zip(*pairs, strict=True)
    assert accuracy(predicted, true) == pytest.approx(accuracy_score(true, predicted))


def test_accuracy_compares_strings_too():
    assert accuracy(["a", "b", "c", "a"], np.array(["a", "b", "a", "b"])) == 0.5


@pytest.mark.parametrize(("predicted", "true"), [([], []), ([1], [1, 2]), ([[1]], [1])])
def test_accuracy_needs_as_many_predictions_as_labels(predicted, true):
    with pytest.raises(InputError, match="at least one"):
        accuracy(predicted, true)


@pytest.mark.parametrize("k", [2, 5, 300])
@pytest.mark.parametrize("n", [0, 1, 40])
def test_usage_counts_each_symbol_at_each_position(rng, n, k):
    symbols = rng.integers(0, k, (n, 3))
    usage = symbol_usage(Codes(symbols, CodeSpec(k, 3)))
    expected = [[sum(row[i] == symbol for row in symbols.tolist()) for symbol in range(k)] for i in range(3)]
    assert usage.tolist() == expected


def test_dead_symbols_are_those_no_item_uses():
    codes = Codes([[0, 1], [0, 2], [3, 1]], CodeSpec(4, 2))
    assert dead_symbols(codes) == 2 + 2
    assert dead_symbols(codes[:0]) == 8
