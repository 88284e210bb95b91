"""Log odds rank as probabilities do, also where these are 1 in floating point."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from dimco.codebook.log_odds import LogOdds, log_odds, log_p


def test_log_odds_are_those_of_the_probabilities(rng):
    logits = torch.from_numpy(rng.normal(size=(20, 3, 5)))
    p = logits.softmax(-1)
    np.testing.assert_allclose(log_odds(logits.log_softmax(-1)), (p / (1 - p)).log(), rtol=1e-9)


def test_log_probabilities_come_back():
    p = np.array([1e-9, 0.25, 0.5, 0.999])
    np.testing.assert_allclose(log_p(np.log(p / (1 - p))), np.log(p), rtol=1e-9)


def test_items_that_are_certain_in_floating_point_are_told_apart():
    logits = torch.tensor([[[30.0, 0.0, 0.0]], [[60.0, 0.0, 0.0]]])
    log_probs = logits.log_softmax(-1)
    assert (log_probs[:, 0, 0].exp() == 1).all()
    odds = log_odds(log_probs)[:, 0, 0]
    np.testing.assert_allclose(odds, [30 - np.log(2), 60 - np.log(2)], rtol=1e-6)


def test_probabilities_of_zero_and_ties_stay_finite_when_kept(model, blobs):
    model.head.layers[1].bias.data[0] = 1e9
    pieces = [piece for _, piece in LogOdds(model, blobs.x, 1 << 20, 16).pieces()]
    assert all(np.isfinite(piece).all() for piece in pieces)


@pytest.mark.parametrize("batch_size", [7, 60, 100])
def test_kept_and_computed_pieces_are_equal(model, blobs, batch_size):
    kept, computed = (LogOdds(model, blobs.x, limit, batch_size) for limit in (60 * 12 * 2, 60 * 12 * 2 - 1))
    assert (kept.kept, computed.kept) == (True, False)
    np.testing.assert_array_equal(kept.symbols, model.encode(blobs.x).unpack())
    for (first, a), (second, b) in zip(kept.pieces(), computed.pieces(), strict=True):
        assert (first, a.dtype) == (second, np.float16)
        np.testing.assert_array_equal(a, b)
