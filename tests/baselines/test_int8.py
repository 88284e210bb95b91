"""One byte a feature against rounding by hand."""

import numpy as np
import pytest

from dimco.baselines import Int8Quantizer, Quantizer
from dimco.errors import InputError
from dimco.spec import CodeSpec

SPEC = CodeSpec(256, 3)


def test_symbols_are_the_features_rounded_to_a_grid(rng):
    x = (rng.normal(size=(200, 3)) * [1, 10, 0.01] + [0, 5, -3]).astype(np.float32)
    quantizer = Int8Quantizer(SPEC).fit(x)
    assert isinstance(quantizer, Quantizer)
    low, high = x.min(0).astype(np.float64), x.max(0).astype(np.float64)
    share = (x - low) / (high - low) * 255
    symbols = quantizer.encode(x).unpack()
    assert np.abs(symbols - share).max() <= 0.51
    assert symbols.min(0).tolist() == [0, 0, 0]
    assert symbols.max(0).tolist() == [255, 255, 255]
    assert quantizer.bits == 24


def test_score_is_the_negative_squared_distance_to_the_levels(rng):
    x, queries = rng.normal(size=(40, 3)).astype(np.float32), rng.normal(size=(5, 3)).astype(np.float32)
    quantizer = Int8Quantizer(SPEC).fit(x)
    codes = quantizer.encode(x)
    low, high = x.min(0).astype(np.float64), x.max(0).astype(np.float64)
    rebuilt = low + codes.unpack() * (high - low) / 255
    expected = -np.square(queries[:, None] - rebuilt).sum(-1)
    np.testing.assert_allclose(quantizer.scores(queries, codes), expected, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(rebuilt, x, atol=(high - low).max() / 500)


def test_values_beyond_those_seen_are_cut_and_constant_features_do_no_harm():
    quantizer = Int8Quantizer(CodeSpec(256, 2)).fit([[0.0, 4.0], [1.0, 4.0]])
    assert quantizer.encode([[-9.0, 4.0], [9.0, 5.0]]).unpack().tolist() == [[0, 0], [255, 0]]


def test_other_specs_are_refused(rng):
    with pytest.raises(InputError, match="expected k = 256 for a byte a feature; got 16"):
        Int8Quantizer(CodeSpec(16, 3))
    for d in (2, 4):
        with pytest.raises(InputError, match=f"expected 3 positions, a byte for each feature; got {d}"):
            Int8Quantizer(CodeSpec(256, d)).fit(rng.normal(size=(9, 3)))
