"""Indexes of clustered and of random codes, with ties, and queries."""

from __future__ import annotations

import numpy as np
import pytest

from dimco import CodeIndex, CodeSpec

SHAPES = ((2, 9), (4, 5), (16, 6), (20, 4))


@pytest.fixture(params=SHAPES, ids=lambda shape: f"{shape[0]}x{shape[1]}")
def spec(request):
    return CodeSpec(*request.param)


@pytest.fixture
def index(spec, rng):
    """9,000 codes around 12 codewords, ids in no order with gaps, some removed, in several segments."""
    words = rng.integers(0, spec.k, (12, spec.d))
    symbols = words[rng.integers(0, 12, 9_000)]
    symbols = np.where(rng.random(symbols.shape) < 0.3, rng.integers(0, spec.k, symbols.shape), symbols)
    made = CodeIndex(spec)
    ids = rng.permutation(100_000)[:9_000]
    made.add(symbols[:6_000], ids[:6_000])
    made.add(symbols[6_000:], ids[6_000:])
    made.remove(ids[::9])
    return made


@pytest.fixture
def queries(spec, rng):
    """log p of 5 queries, rounded so that unequal codes tie."""
    return np.round(np.log(rng.dirichlet(np.full(spec.k, 0.3), (5, spec.d)) + 1e-3), 1).astype(np.float32)
