"""Every peer answers the question it is asked."""

from __future__ import annotations

import faiss
import numpy as np
import pytest

from dimco.experiments.search_bench.memory import Unfit
from dimco.experiments.search_bench.peers import PEERS, DimcoIndex, numpy_gather, usearch_exact
from dimco.experiments.search_bench.reference import exact_ids
from dimco.experiments.search_bench.vectors import FloatVectors
from dimco.experiments.search_bench.workload import random_workload
from dimco.spec import CodeSpec

EXACT = {"dimco": DimcoIndex, **{name: PEERS[name] for name in ("faiss-pq", "faiss-pq-byte", "numpy")}}
OF_VECTORS = ("faiss-flat-l2", "faiss-flat-ip", "faiss-hnsw", "usearch-exact")


@pytest.mark.parametrize("name", EXACT)
def test_those_that_add_the_same_numbers_find_the_same_codes(name, workload):
    peer = EXACT[name](workload)
    expected = [exact_ids(workload.symbols, table, 5) for table in workload.tables]
    scores = [table[np.arange(4), workload.symbols].astype(float).sum(1) for table in workload.tables]
    for found in (peer.search(slice(0, 6), 5), np.concatenate([peer.search(slice(q, q + 1), 5) for q in range(6)])):
        assert found.shape == (6, 5)
        for query in range(6):
            np.testing.assert_allclose(scores[query][found[query]], scores[query][expected[query]], rtol=1e-5)
    assert (peer.answers, peer.name) == ("codes", name)


@pytest.mark.parametrize("name", ["faiss-fastscan", "faiss-fastscan-refined"])
def test_the_quick_scan_finds_most_and_refined_nearly_all(name, workload):
    peer = PEERS[name](workload)
    expected = [exact_ids(workload.symbols, table, 5) for table in workload.tables]
    found = peer.search(slice(0, 6), 5)
    share = np.mean([np.isin(row, best).mean() for row, best in zip(found, expected, strict=True)])
    assert share >= (0.95 if name.endswith("refined") else 0.6)


@pytest.mark.parametrize("name", OF_VECTORS)
def test_those_that_search_vectors_find_the_nearest(name, workload):
    peer = PEERS[name](workload)
    rows, queries = workload.vectors.rows.astype(float), workload.vectors.queries.astype(float)
    products = queries @ rows.T
    best = -products if name.endswith("ip") else (rows**2).sum(1) - 2 * products
    found = peer.search(slice(1, 6), 5)
    assert np.isin(found, np.argsort(best, 1)[1:6, :5]).mean() > 0.95
    assert peer.bytes_per_item >= 512


@pytest.mark.parametrize(("name", "size"), [("faiss-pq", 2), ("faiss-pq-byte", 4), ("faiss-fastscan", 2), ("numpy", 4)])
def test_bytes_an_item(name, size, workload):
    assert PEERS[name](workload).bytes_per_item == size


def test_ours_shares_an_index_among_threads_and_kernels(workload):
    first = DimcoIndex(workload)
    second = DimcoIndex(workload, first.index, threads=2)
    third = DimcoIndex(workload, first.index, kernel="torch")
    assert first.index is second.index
    assert [peer.name for peer in (first, second, third)] == ["dimco", "dimco", "dimco-torch"]
    np.testing.assert_array_equal(third.search(slice(0, 6), 5), second.search(slice(0, 6), 5))
    assert third.facts() == {"kernel": "torch"}
    assert first.bytes_per_item == pytest.approx(2, rel=0.1)


def test_only_faiss_has_tables_to_make(workload):
    spends = {name for name, peer in PEERS.items() if peer(workload).tables(slice(0, 6))}
    assert spends == {"faiss-pq", "faiss-pq-byte"}


def test_reasons_for_being_left_out(workload, monkeypatch):
    bytes_already = random_workload(CodeSpec(200, 2), FloatVectors(20, 2, 0), 2, 0)
    with pytest.raises(Unfit, match="has a byte a symbol already"):
        PEERS["faiss-pq-byte"](bytes_already)
    with pytest.raises(Unfit, match="4 bits a symbol alone"):
        PEERS["faiss-fastscan"](bytes_already)
    monkeypatch.setattr(numpy_gather, "_MOST_SYMBOLS", 1_999)
    with pytest.raises(Unfit, match="takes minutes beyond 1,999 symbols"):
        PEERS["numpy"](workload)


def test_numpy_gives_all_where_fewer_are_there(workload):
    found = PEERS["numpy"](workload).search(slice(0, 1), 900)
    assert sorted(found[0].tolist()) == list(range(500))


def test_usearch_is_asked_in_pieces_that_fit(workload, monkeypatch):
    peer = PEERS["usearch-exact"](workload)
    whole = peer.search(slice(0, 6), 5)
    monkeypatch.setattr(usearch_exact, "_MOST_BYTES", 4 * 16 * 500)
    np.testing.assert_array_equal(peer.search(slice(0, 6), 5), whole)


def test_faiss_multiplies_matrices_from_a_few_queries_on(workload):
    faiss.cvar.distance_compute_blas_threshold = 1
    PEERS["faiss-flat-l2"](workload)
    assert faiss.cvar.distance_compute_blas_threshold == 20 * 128
