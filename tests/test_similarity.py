import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from dimco.errors import InputError
from dimco.similarity import code_scores


@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 9), st.integers(1, 4), st.integers(2, 300))
def test_scores_are_sums_of_table_entries(seed, queries, n, d, k):
    rng = np.random.default_rng(seed)
    tables, symbols = rng.normal(size=(queries, d, k)), rng.integers(0, k, (n, d))
    expected = [[sum(tables[q, i, symbols[item, i]] for i in range(d)) for item in range(n)] for q in range(queries)]
    np.testing.assert_allclose(code_scores(torch.from_numpy(tables), symbols), expected, atol=1e-12)


def test_scores_of_log_probabilities_are_the_log_probability_of_the_code(rng):
    p = rng.dirichlet(np.ones(3), size=(1, 4))
    symbols = [[0, 2, 1, 1]]
    expected = math.log(math.prod(p[0, i, symbol] for i, symbol in enumerate(symbols[0])))
    assert code_scores(torch.from_numpy(p).log(), torch.tensor(symbols)).item() == pytest.approx(expected)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int32, np.int64])
def test_symbols_of_any_integer_type_score_the_same(rng, dtype):
    tables, symbols = torch.randn(2, 3, 200), rng.integers(0, 200, (5, 3))
    assert torch.equal(code_scores(tables, symbols.astype(dtype)), code_scores(tables, symbols))


def test_equal_codes_score_exactly_equal_wherever_they_are_stored(rng):
    codewords = rng.integers(0, 16, (20, 64))
    copies = rng.integers(0, 20, 1_000)
    scores = code_scores(torch.randn(37, 64, 16).log_softmax(-1), codewords[copies]).numpy()
    for codeword in range(20):
        same = scores[:, copies == codeword]
        assert (same == same[:, :1]).all()


def test_no_queries_or_no_codes_give_empty_scores():
    assert code_scores(torch.zeros(0, 3, 4), np.zeros((5, 3), int)).shape == (0, 5)
    assert code_scores(torch.zeros(2, 3, 4), np.zeros((0, 3), int)).shape == (2, 0)


@pytest.mark.parametrize(("tables", "symbols"), [((2, 3, 4), (5, 2)), ((3, 4), (5, 3)), ((2, 3, 4), (3,))])
def test_shapes_that_do_not_meet_are_refused(tables, symbols):
    with pytest.raises(InputError, match="of one d"):
        code_scores(torch.zeros(tables), np.zeros(symbols, int))
