"""Codewords against sorting every item by a score added up in a loop."""

from __future__ import annotations

import numpy as np
import torch

from dimco.spec import CodeSpec
from dimco.web.codewords import Codewords


def test_nearest_codewords_and_their_members_are_those_of_a_loop():
    rng = np.random.default_rng(0)
    spec = CodeSpec(k=3, d=2)
    symbols = rng.integers(0, 3, (40, 2)).astype(np.uint8)
    table = torch.from_numpy(rng.dirichlet(np.ones(3), 2)).log().float()
    words = Codewords(symbols, spec)
    expected = sorted(
        {tuple(row) for row in symbols.tolist()},
        key=lambda code: (-sum(float(table[i, s]) for i, s in enumerate(code)), code),
    )
    found, scores = words.nearest(table, 4)
    assert [tuple(words.symbols[word].tolist()) for word in found] == expected[:4]
    assert (np.diff(scores) <= 0).all()
    for word in range(len(words)):
        assert words.members(word).tolist() == np.flatnonzero((symbols == words.symbols[word]).all(1)).tolist()


def test_a_single_item_is_found():
    words = Codewords(np.array([[1, 0]], dtype=np.uint8), CodeSpec(k=2, d=2))
    found, _ = words.nearest(torch.zeros(2, 2), 5)
    assert (len(words), found.tolist()) == (1, [0])


def test_equal_codewords_come_by_their_first_item():
    words = Codewords(np.array([[1, 1], [0, 1], [1, 1], [0, 0]], dtype=np.uint8), CodeSpec(k=2, d=2))
    found, _ = words.nearest(torch.zeros(2, 2), 5)
    assert words.symbols[found].tolist() == [[1, 1], [0, 1], [0, 0]]
