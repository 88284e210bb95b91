"""Sparse vectors: the inner product of a query and a code is their similarity and a constant."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dimco import CodeIndex, CodeSpec
from dimco.adapters.sparse import dimensions_of, similarities, sparse_query, symbols_of


@st.composite
def tables_and_codes(draw):
    k, d = draw(st.integers(2, 5)), draw(st.integers(1, 5))
    table = draw(arrays(np.float32, (d, k), elements=st.floats(-50, 0, width=32)))
    codes = draw(arrays(np.int64, (draw(st.integers(1, 8)), d), elements=st.integers(0, k - 1)))
    return CodeSpec(k, d), table, codes


def products(query, codes, spec):
    """Inner products with one-hot vectors written out in full."""
    dense = np.zeros(spec.k * spec.d)
    dense[query.dimensions] = query.weights
    one_hot = np.zeros((len(codes), spec.d, spec.k))
    for row, codeword in enumerate(codes):
        for position, symbol in enumerate(codeword):
            one_hot[row, position, symbol] = 1
    return one_hot.reshape(len(codes), -1) @ dense


@given(tables_and_codes())
def test_inner_products_are_similarities_and_a_constant(case):
    spec, table, codes = case
    query = sparse_query(table)
    expected = [sum(float(table[i, symbol]) for i, symbol in enumerate(codeword)) for codeword in codes]
    found = products(query, codes, spec)
    np.testing.assert_allclose(found - query.shift, expected, atol=query.error * found.max())
    np.testing.assert_allclose(similarities(table, codes), expected)
    assert (query.weights > 0).all()
    assert (found >= 1).all(), "no code shares nothing with a query"


@given(tables_and_codes(), st.data())
def test_codes_with_a_symbol_that_cannot_be_come_after_all_others(case, data):
    spec, table, codes = case
    position, symbol = data.draw(st.integers(0, spec.d - 1)), data.draw(st.integers(0, spec.k - 1))
    table[position, symbol] = -np.inf
    possible = codes[:, position] != symbol
    found = products(sparse_query(table), codes, spec)
    if possible.any() and not possible.all():
        assert found[possible].min() > found[~possible].max()
    assert (similarities(table, codes)[~possible] == -np.inf).all()


def test_dimensions_say_the_symbols_in_any_order(rng):
    spec = CodeSpec(7, 4)
    codes = rng.integers(0, 7, (20, 4))
    dimensions = dimensions_of(codes, spec)
    assert dimensions[3].tolist() == [position * 7 + codes[3, position] for position in range(4)]
    np.testing.assert_array_equal(symbols_of(rng.permuted(dimensions, axis=1), spec), codes)


def test_similarities_are_those_of_the_index_to_the_last_bit(rng):
    index = CodeIndex(CodeSpec(9, 11))
    codes = rng.integers(0, 9, (50, 11))
    index.add(codes)
    table = rng.normal(size=(11, 9)).astype(np.float32)
    found = index.search(table, 50)
    np.testing.assert_array_equal(similarities(table, codes)[found.ids], found.scores)


def test_the_error_bounds_sums_in_single_precision(rng):
    table = np.log(rng.dirichlet(np.ones(16), 64)).astype(np.float32)
    query = sparse_query(table)
    codes = rng.integers(0, 16, (2_000, 64))
    dense = np.zeros(16 * 64, np.float32)
    dense[query.dimensions] = query.weights
    for order in (range(64), reversed(range(64))):
        total = np.zeros(len(codes), np.float32)
        for position in order:
            total += dense[position * 16 + codes[:, position]]
        true = similarities(table, codes) + query.shift
        assert (np.abs(total - true) <= query.error * true).all()
        assert query.error * true.max() == pytest.approx(66 * 2**-23 * true.max())
