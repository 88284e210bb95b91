"""Where codes agree, against a loop."""

from __future__ import annotations

import numpy as np

from dimco import CodeIndex, CodeSpec
from dimco.search.agreement import agreement


def test_symbols_are_those_stored_and_agree_where_they_are_the_same(rng):
    index = CodeIndex(CodeSpec(4, 5))
    stored = rng.integers(0, 4, (30, 5))
    index.add(stored, ids=np.arange(30) * 3)
    codes, ids = rng.integers(0, 4, (2, 5)), rng.integers(0, 30, (2, 7)) * 3
    ids[1, :2] = ids[0, :2]
    found = agreement(index, codes, ids)
    for query in range(2):
        for rank in range(7):
            expected = stored[ids[query, rank] // 3]
            assert found.symbols[query, rank].tolist() == expected.tolist()
            same = [bool(a == b) for a, b in zip(codes[query], expected, strict=True)]
            assert found.agree[query, rank].tolist() == same


def test_no_neighbours_are_nothing_to_compare():
    found = agreement(CodeIndex(CodeSpec(4, 5)), np.zeros((2, 5), int), np.zeros((2, 0), np.int64))
    assert found.agree.shape == (2, 0, 5)
