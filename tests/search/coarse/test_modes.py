"""Cells around modes."""

import numpy as np
import pytest

from dimco import CodeSpec
from dimco.errors import InputError
from dimco.search.coarse import ModeCells

SPEC = CodeSpec(5, 12)


def test_a_code_falls_to_the_first_of_the_modes_it_agrees_with_most(rng):
    symbols, modes = rng.integers(0, 5, (300, 12)), rng.integers(0, 5, (30, 12))
    expected = [max(range(30), key=lambda mode: ((codeword == modes[mode]).sum(), -mode)) for codeword in symbols]
    np.testing.assert_array_equal(ModeCells(SPEC, modes).of(symbols), expected)


def test_fit_finds_codewords_that_codes_were_scattered_around(rng):
    words = rng.integers(0, 5, (4, 12))
    truth = rng.integers(0, 4, 400)
    symbols = np.where(rng.random((400, 12)) < 0.1, rng.integers(0, 5, (400, 12)), words[truth])
    cells = ModeCells.fit(SPEC, symbols, 40, rng)
    number = cells.of(symbols)
    assert len({(cell, word) for cell, word in zip(number.tolist(), truth.tolist(), strict=True)}) == len(set(number))
    agreeing = (cells.modes[number] == symbols).mean()
    start = ModeCells.fit(SPEC, symbols, 40, np.random.default_rng(1), rounds=0)
    assert agreeing >= (start.modes[start.of(symbols)] == symbols).mean()


def test_the_same_seed_gives_the_same_modes(rng):
    symbols = rng.integers(0, 5, (200, 12))
    first, second = (ModeCells.fit(SPEC, symbols, 9, np.random.default_rng(3)).modes for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_modes_of_another_shape_are_refused():
    with pytest.raises(InputError, match=r"expected 1 to 262,144 modes of shape \(C, 12\); got shape \(3, 11\)"):
        ModeCells(SPEC, np.zeros((3, 11), int))
