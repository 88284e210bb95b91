"""The best items, found piece by piece."""

from __future__ import annotations

import numpy as np
import pytest

from dimco.codebook.ranking import Best


@pytest.mark.parametrize("batch", [1, 3, 10, 50])
@pytest.mark.parametrize("top", [1, 4, 60])
def test_pieces_give_what_sorting_gives(rng, batch, top):
    scores = rng.integers(6, size=(3, 50)).astype(float)
    best = Best(3, top)
    for start in range(0, 50, batch):
        best.add(start, scores[:, start : start + batch])
    slow = [sorted(range(50), key=lambda item, row=row: (-row[item], item))[:top] for row in scores]
    np.testing.assert_array_equal(best.items, slow)
    np.testing.assert_array_equal(best.scores, np.take_along_axis(scores, best.items, 1))
