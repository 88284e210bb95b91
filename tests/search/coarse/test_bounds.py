"""Bounds of cells: never below the score of a code inside, to the last bit."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dimco.search.coarse.bounds import CellBounds


@st.composite
def cases(draw):
    k, d = draw(st.integers(2, 4)), draw(st.integers(1, 6))
    entries = st.one_of(st.floats(-(2.0**40), 2.0**40, width=32), st.just(-np.inf), st.just(np.float32(0.1)))
    table = draw(arrays(np.float32, (d, k), elements=entries))
    codes = draw(arrays(np.int64, (draw(st.integers(1, 12)), d), elements=st.integers(0, k - 1)))
    return k, table, codes, draw(arrays(np.int64, len(codes), elements=st.integers(0, 2)))


@given(cases())
def test_no_code_of_a_cell_scores_above_its_bound(case):
    k, table, codes, cells = case
    present = np.zeros((3, len(table), k), bool)
    for codeword, cell in zip(codes, cells, strict=True):
        present[cell, np.arange(len(table)), codeword] = True
    bounds = CellBounds(present).of(table)
    for codeword, cell in zip(codes, cells, strict=True):
        score = 0.0
        for position, symbol in enumerate(codeword):
            score += float(table[position, symbol])
        assert score <= bounds[cell]
    for cell in range(3):
        best = sum(float(table[i][present[cell, i]].max(initial=-np.inf)) for i in range(len(table)))
        assert bounds[cell] == best


def test_many_different_sets_of_symbols_give_the_bound_of_all_of_them(rng):
    present = rng.random((600, 2, 10)) < 0.5
    present[:, 1] = np.eye(10, dtype=bool)[rng.integers(0, 10, 600)]
    present[:, :, 7] &= False
    table = rng.normal(size=(2, 10)).astype(np.float32)
    expected = float(np.delete(table[0], 7).max()) + np.where(present[:, 1], table[1].astype(float), -np.inf).max(1)
    np.testing.assert_array_equal(CellBounds(present).of(table), expected)
