"""Cells by the first positions."""

import itertools

import numpy as np
import pytest

from dimco import CodeSpec
from dimco.errors import InputError
from dimco.search.coarse import PrefixCells


def test_every_joint_symbol_has_a_cell_of_its_own():
    cells = PrefixCells(CodeSpec(3, 4), 2)
    symbols = np.array(list(itertools.product(range(3), repeat=4)))
    number = cells.of(symbols)
    assert cells.count == 9
    expected = [list(itertools.product(range(3), repeat=2)).index((a, b)) for a, b, _, _ in symbols.tolist()]
    assert number.tolist() == expected


def test_wrong_numbers_of_positions_are_refused():
    with pytest.raises(InputError, match="expected 1 to 4 positions of a 3x4 code; got 5"):
        PrefixCells(CodeSpec(3, 4), 5)
    with pytest.raises(InputError, match="expected at most 262,144 cells; 3 positions of 256 symbols make more"):
        PrefixCells(CodeSpec(256, 4), 3)
