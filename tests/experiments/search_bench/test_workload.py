"""What is searched for, random or one's own."""

from __future__ import annotations

import numpy as np
import pytest

from dimco import CodeIndex, CodeModel, CodeSpec, LinearHead
from dimco.backbones import Standardize
from dimco.errors import InputError
from dimco.experiments.search_bench.vectors import FloatVectors
from dimco.experiments.search_bench.workload import own_workload, random_workload


def test_random_codes_are_uniform_and_tables_are_log_probabilities():
    made = random_workload(CodeSpec(4, 3), FloatVectors(4_000, 5, 0), 5, 0)
    assert (made.items, made.symbols.shape, made.tables.shape) == (4_000, (4_000, 3), (5, 3, 4))
    assert made.tables.dtype == np.float32
    np.testing.assert_allclose(np.exp(made.tables.astype(float)).sum(-1), 1, rtol=1e-5)
    for position in made.symbols.T:
        assert (abs(np.bincount(position, minlength=4) - 1_000) < 150).all()


def test_the_seed_decides():
    same, again, other = (random_workload(CodeSpec(4, 3), FloatVectors(50, 5, s), 5, s) for s in (0, 0, 1))
    np.testing.assert_array_equal(same.symbols, again.symbols)
    np.testing.assert_array_equal(same.tables, again.tables)
    assert (same.symbols != other.symbols).any()


@pytest.fixture
def own(tmp_path, rng):
    model = CodeModel(Standardize(3), LinearHead(3, CodeSpec(4, 2)))
    model.save(tmp_path / "model")
    np.savez(tmp_path / "queries.npz", x=rng.normal(size=(9, 3)))
    index = CodeIndex(CodeSpec(4, 2))
    index.add(rng.integers(0, 4, (30, 2)), ids=np.arange(30)[::-1] * 2)
    index.save(tmp_path / "own.index")
    return tmp_path / "own.index", tmp_path / "model", tmp_path / "queries.npz"


def test_ones_own_index_and_queries(own):
    made = own_workload(*own, 6, 0)
    index = CodeIndex.open(own[0])
    assert (made.dataset, made.items, made.vectors.items) == ("own.index", 30, 30)
    np.testing.assert_array_equal(made.symbols, index.reconstruct(index.ids))
    with np.load(own[2]) as data:
        np.testing.assert_array_equal(made.tables, CodeModel.load(own[1]).log_probs(data["x"])[:6].numpy())


def test_an_empty_index_is_refused(own):
    CodeIndex(CodeSpec(4, 2)).save(own[0])
    with pytest.raises(InputError, match="expected an index with items to search"):
        own_workload(*own, 6, 0)
