"""What may be asked of a codebook."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dimco.codebook.pages import Combination, check_symbol, symbol_pairs
from dimco.errors import InputError
from dimco.spec import CodeSpec

SPEC = CodeSpec(4, 3)


def test_pairs_are_spelled_out():
    pairs = symbol_pairs(SPEC, {2: 3, 0: 1}, {1: [0, 2], 2: 1})
    assert pairs == ([(2, 3), (0, 1)], [(1, 0), (1, 2), (2, 1)])


@pytest.mark.parametrize(("position", "symbol"), [(3, 0), (-1, 0), (0, 4), (0, -1), (True, 0), (0, 1.0), ("0", 0)])
def test_symbols_that_the_code_lacks_are_refused(position, symbol):
    with pytest.raises(InputError, match="expected a position from 0 to 2 and a symbol from 0 to 3"):
        check_symbol(SPEC, position, symbol)
    with pytest.raises(InputError, match="expected a position from 0 to 2"):
        symbol_pairs(SPEC, {position: symbol}, None)


def test_nothing_to_combine_is_refused():
    with pytest.raises(InputError, match="at least one symbol"):
        symbol_pairs(SPEC, {}, {})


def test_purity_is_the_share_of_the_main_class():
    items, scores = np.array([0]), np.array([0.0])
    assert Combination(items, scores, 4, {"ash": 3, "birch": 1}).purity == 0.75
    assert math.isnan(Combination(items, scores, 0, {}).purity)
