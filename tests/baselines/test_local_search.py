"""Local-search quantization against residual quantization and faiss."""

import numpy as np
import pytest

from dimco.baselines import LocalSearchQuantizer, ResidualQuantizer, local_search
from dimco.spec import CodeSpec


def loss(quantizer, x):
    return np.square(x - quantizer.decode(quantizer.encode(x)).numpy()).sum(1).mean()


@pytest.fixture
def x(rng):
    return (rng.normal(size=(600, 32)) @ rng.normal(size=(32, 32))).astype(np.float32)


@pytest.mark.parametrize("spec", [CodeSpec(2, 6), CodeSpec(4, 3), CodeSpec(16, 3)], ids=str)
def test_codebooks_learned_together_lose_less_than_stage_by_stage(x, spec):
    assert loss(LocalSearchQuantizer(spec).fit(x), x) < loss(ResidualQuantizer(spec).fit(x), x)


def test_training_reads_a_sample_drawn_by_the_seed(x, monkeypatch):
    monkeypatch.setattr(local_search, "_TRAINING_ITEMS", 200)
    first, same, other = (LocalSearchQuantizer(CodeSpec(4, 2), seed).fit(x) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first.codebooks, same.codebooks)
    assert not np.array_equal(first.codebooks, other.codebooks)
    sample = x[np.random.default_rng(1).permutation(600)[:200]]
    monkeypatch.setattr(local_search, "_TRAINING_ITEMS", 600)
    alone = LocalSearchQuantizer(CodeSpec(4, 2), 1).fit(sample)
    np.testing.assert_array_equal(first.codebooks, alone.codebooks)


def test_the_same_rows_are_given_the_same_codes(x):
    quantizer = LocalSearchQuantizer(CodeSpec(8, 4)).fit(x)
    assert quantizer.encode(x) == quantizer.encode(x)


def test_fewer_positions_than_the_search_changes_do_no_harm(x):
    assert loss(LocalSearchQuantizer(CodeSpec(16, 1)).fit(x), x) < np.square(x - x.mean(0)).sum(1).mean()
