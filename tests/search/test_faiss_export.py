"""faiss finds in exported codes what an obvious loop finds."""

from __future__ import annotations

import faiss
import numpy as np
import pytest

from dimco.errors import InputError
from dimco.search.faiss_export import IMPOSSIBLE, add_symbols, faiss_queries, one_hot_pq
from dimco.spec import CodeSpec

SPECS = ["2x1", "2x9", "3x5", "4x6", "5x4", "8x3", "12x4", "16x16", "17x5", "100x7", "256x6", "257x3", "1000x2"]


def tables_of(rng, queries, spec):
    logits = rng.normal(size=(queries, spec.d, spec.k))
    return (logits - np.log(np.exp(logits).sum(-1, keepdims=True))).astype(np.float32)


def scores_of(table, symbols):
    return np.array([sum(float(table[i, s]) for i, s in enumerate(row)) for row in symbols])


def assert_neighbours(found, distances, scores, ids, n):
    """The same ids, but for items whose scores float32 cannot tell apart."""
    order = np.lexsort((ids, -scores))[:n]
    np.testing.assert_allclose(distances, scores[order], rtol=1e-5, atol=1e-4)
    by_id = dict(zip(ids.tolist(), scores, strict=True))
    for place, item in enumerate(found.tolist()):
        assert item == ids[order[place]] or abs(by_id[item] - scores[order[place]]) < 1e-4
    assert len(set(found.tolist())) == n


@pytest.mark.parametrize("spec", [CodeSpec.parse(text) for text in SPECS], ids=str)
@pytest.mark.parametrize("queries", [3, 40])
def test_faiss_finds_the_same_neighbours(spec, queries, rng):
    symbols = rng.integers(0, spec.k, (300, spec.d), dtype=spec.dtype)
    tables = tables_of(rng, queries, spec)
    index = one_hot_pq(spec)
    add_symbols(index, symbols)
    distances, found = index.search(faiss_queries(tables), 10)
    for query in range(0, queries, 13):
        assert_neighbours(found[query], distances[query], scores_of(tables[query], symbols), np.arange(300), 10)


@pytest.mark.parametrize("nbits", [6, 8, 10])
def test_more_bits_than_the_code_needs_change_nothing(nbits, rng):
    spec = CodeSpec(40, 3)
    symbols, tables = rng.integers(0, 40, (100, 3), dtype=np.uint8), tables_of(rng, 1, spec)
    index = one_hot_pq(spec, nbits=nbits)
    add_symbols(index, symbols)
    distances, found = index.search(faiss_queries(tables), 5)
    assert index.pq.nbits == nbits
    assert_neighbours(found[0], distances[0], scores_of(tables[0], symbols), np.arange(100), 5)


def test_ids_go_through_a_map(rng):
    symbols, tables = rng.integers(0, 16, (50, 4), dtype=np.uint8), tables_of(rng, 1, CodeSpec(16, 4))
    ids = rng.permutation(1_000)[:50].astype(np.int64)
    index = faiss.IndexIDMap2(one_hot_pq(CodeSpec(16, 4)))
    add_symbols(index, symbols, ids)
    distances, found = index.search(faiss_queries(tables), 5)
    assert_neighbours(found[0], distances[0], scores_of(tables[0], symbols), ids, 5)


def test_codes_of_impossible_symbols_come_last(rng):
    spec = CodeSpec(4, 3)
    symbols = np.array([[0, 0, 0], [1, 1, 1], [2, 2, 2], [3, 0, 3]], np.uint8)
    table = tables_of(rng, 1, spec)[0]
    table[0, 3] = table[2, 2] = -np.inf
    index = one_hot_pq(spec)
    add_symbols(index, symbols)
    distances, found = index.search(faiss_queries(table), 4)
    assert set(found[0][:2].tolist()) == {0, 1}
    assert np.isfinite(distances).all()
    assert (distances[0][2:] <= IMPOSSIBLE).all()


def test_a_query_is_the_table_laid_flat():
    table = np.array([[-1.0, -np.inf], [-2.0, -3.0]])
    np.testing.assert_array_equal(faiss_queries(table), np.array([[-1, IMPOSSIBLE, -2, -3]], np.float32))
    assert faiss_queries(np.stack([table] * 3)).shape == (3, 4)


def test_what_cannot_be_exported_is_refused_in_a_line():
    with pytest.raises(
        InputError, match=r"^expected a code whose one-hot centroids .* 65536x4 take 68.7 GB: export to"
    ):
        one_hot_pq(CodeSpec(65_536, 4))
    with pytest.raises(InputError, match="expected 4 to 16 bits a symbol for 16x4; got 3"):
        one_hot_pq(CodeSpec(16, 4), nbits=3)
    with pytest.raises(InputError, match=r"expected log probabilities of shape .*; got \(4,\)"):
        faiss_queries(np.zeros(4))
