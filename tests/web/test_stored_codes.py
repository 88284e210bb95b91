"""What stands for a model where only codes are known."""

from __future__ import annotations

import numpy as np
import torch

from dimco.spec import CodeSpec
from dimco.web.stored_codes import StoredCodes

SYMBOLS = np.array([[0, 2], [1, 1]], dtype=np.uint8)


def test_stored_symbols_are_certain():
    probabilities = StoredCodes(CodeSpec(3, 2)).log_probs(SYMBOLS).exp()
    assert probabilities.tolist() == [[[1, 0, 0], [0, 0, 1]], [[0, 1, 0], [0, 1, 0]]]


def test_tables_count_the_positions_that_differ():
    tables = StoredCodes(CodeSpec(3, 2)).tables(SYMBOLS)
    scores = torch.stack([table[[0, 1], SYMBOLS[1].astype(int)].sum() for table in tables])
    assert scores.tolist() == [-2, 0]
