"""Codewords found through their items against the index of codewords."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from dimco import CodeIndex, CodeSpec
from dimco.web.codewords import Codewords
from dimco.web.stored_codewords import StoredCodewords


@pytest.mark.parametrize("shared", [1, 3, 40])
@pytest.mark.parametrize("tied", [False, True])
def test_they_are_those_of_the_index_of_codewords(rng, shared, tied):
    spec = CodeSpec(k=4, d=6)
    symbols = rng.permutation(np.repeat(rng.integers(0, 4, (120 // shared, 6)), shared, axis=0)).astype(np.uint8)
    ids = np.sort(rng.choice(10_000, len(symbols), replace=False))
    index = CodeIndex(spec)
    index.add(symbols, ids)
    stored, own = StoredCodewords(symbols, ids, index), Codewords(symbols, spec)
    assert len(stored) == len(own)
    for n in (1, 4, 500):
        scores = -rng.integers(0, 2, (6, 4)) if tied else np.log(rng.dirichlet(np.ones(4), 6))
        table = torch.from_numpy(scores).float()
        for found, expected in zip(stored.nearest(table, n), own.nearest(table, n), strict=True):
            assert found.tobytes() == expected.tobytes()


def test_a_code_that_nearly_all_share_hides_no_other(rng):
    spec = CodeSpec(k=2, d=3)
    symbols = np.zeros((5_000, 3), np.uint8)
    symbols[[17, 4_000]] = [[1, 1, 1], [1, 0, 0]]
    index = CodeIndex(spec)
    index.add(symbols)
    found, scores = StoredCodewords(symbols, index.ids, index).nearest(torch.tensor([[0.0, -1.0]] * 3), 3)
    assert (found.tolist(), scores.tolist()) == ([0, 1, 2], [0.0, -1.0, -3.0])
