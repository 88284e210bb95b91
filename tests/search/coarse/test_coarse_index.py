"""The coarse search: the answer of the index where it is exact, part of it where it is limited."""

import numpy as np
import pytest

from dimco import CodeIndex, CodeSpec
from dimco.errors import InputError
from dimco.search import coarse
from dimco.search.coarse import CoarseIndex, ModeCells, PrefixCells, stored_cells


@pytest.fixture(params=["one position", "two positions", "modes"])
def cells(request, index, spec, rng):
    if request.param == "modes":
        return ModeCells.fit(spec, index.reconstruct(index.ids[:1_000]), 20, rng)
    return PrefixCells(spec, 1 if request.param == "one position" else 2)


def assert_same(found, expected):
    np.testing.assert_array_equal(found.ids, expected.ids)
    np.testing.assert_array_equal(found.scores, expected.scores)


def test_without_a_limit_the_answer_is_that_of_the_index(index, cells, queries):
    searched = CoarseIndex(index, cells)
    assert len(searched) == len(index)
    for n in (1, 10, 500, 9_000):
        found = searched.search(queries, n)
        assert_same(found, index.search(queries, n))
        assert (found.scanned <= len(index)).all()
    assert_same(searched.search(queries[0], 3), index.search(queries[0], 3))


def test_cells_that_cannot_hold_an_answer_are_not_looked_into(rng):
    spec = CodeSpec(16, 3)
    index = CodeIndex(spec)
    index.add(rng.integers(0, 16, (40_000, 3)))
    sure = np.full((1, 3, 16), -9.0, np.float32)
    sure[0, :, 3] = -0.1
    found = CoarseIndex(index, PrefixCells(spec, 1)).search(sure, 1)
    assert_same(found, index.search(sure, 1))
    assert found.scanned[0] < 20_000


def test_symbols_that_cannot_be_and_equal_scores_change_nothing(index, cells, queries):
    queries[0, 0, 1:] = -np.inf
    queries[1, -1] = -np.inf
    queries[2] = -1.5
    searched = CoarseIndex(index, cells)
    for n in (10, 9_000):
        assert_same(searched.search(queries, n), index.search(queries, n))


def test_a_limit_finds_the_best_of_the_cells_that_promise_most(index, queries):
    cells = PrefixCells(index.spec, 1)
    ids = index.ids
    symbols = index.reconstruct(ids)
    number = cells.of(symbols)
    searched = CoarseIndex(index, cells)
    for query in queries:
        scores = sum(query[i, symbols[:, i]].astype(np.float64) for i in range(index.spec.d))
        most = {}
        for cell in np.unique(number):
            inside = symbols[number == cell]
            most[cell] = sum(float(query[i, np.unique(inside[:, i])].max()) for i in range(index.spec.d))
        promising = sorted(most, key=lambda cell: -most[cell])[:2]
        inside = np.flatnonzero(np.isin(number, promising))
        best = inside[np.lexsort((ids[inside], -scores[inside]))[:10]]
        found = searched.search(query, 10, probes=2)
        np.testing.assert_array_equal(found.ids[: len(best)], ids[best])
        np.testing.assert_array_equal(found.scores[: len(best)], scores[best])
        assert (found.ids[len(best) :] == -1).all()
        assert found.scanned <= len(inside)


def test_few_codes_in_the_probed_cells_leave_places_empty():
    index = CodeIndex(CodeSpec(3, 2))
    index.add([[0, 0], [1, 0], [1, 1], [2, 2]])
    table = np.log([[0.8, 0.15, 0.05], [0.4, 0.3, 0.3]])
    found = CoarseIndex(index, PrefixCells(index.spec, 1)).search(table, 4, probes=2)
    assert found.ids.tolist() == [0, 1, 2, -1]
    assert found.scores[-1] == -np.inf
    assert found.scanned == 3


def test_the_torch_kernel_gives_the_same_answer(index, cells, queries, monkeypatch):
    expected = CoarseIndex(index, cells).search(queries, 10)
    monkeypatch.setattr(stored_cells, "available_kernels", lambda: ("torch",))
    slow = CoarseIndex(index, cells)
    assert slow._stored._kernel is None
    assert_same(slow.search(queries, 10), expected)


def test_an_empty_index_finds_nothing():
    index = CodeIndex(CodeSpec(3, 2))
    found = CoarseIndex(index, PrefixCells(index.spec, 1)).search(np.zeros((4, 2, 3)), 5)
    assert found.ids.shape == found.scores.shape == (4, 0)


def test_bad_input_is_one_line(index):
    with pytest.raises(InputError, match=f"expected cells of {index.spec} codes, as in the index; got cells of 3x2"):
        CoarseIndex(index, PrefixCells(CodeSpec(3, 2), 1))
    searched = CoarseIndex(index, PrefixCells(index.spec, 1))
    with pytest.raises(InputError, match="expected at least 1 probe; got 0"):
        searched.search(np.zeros((index.spec.d, index.spec.k)), 1, probes=0)


def test_the_package_names_what_it_offers():
    assert all(hasattr(coarse, name) for name in coarse.__all__)
