"""Quick searches against a slow one, and that what is not plain goes the general way."""

import gc
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from dimco import CodeIndex, CodeSpec
from dimco.errors import InputError
from dimco.search.kernels import native
from dimco.search.kernels.quick import QuickSearch, quick_search
from dimco.search.layout import Layout

pytestmark = pytest.mark.usefixtures("native_library")


@pytest.fixture
def kernels():
    found = [kernel for kernel in native.usable_kernels() if kernel != "portable"]
    if not found:
        pytest.skip("no kernel here searches quickly")
    return found


def table_of(rng, spec, digits=None):
    table = rng.normal(size=(spec.d, spec.k))
    return (table if digits is None else np.round(table, digits)).astype(np.float32)


@pytest.mark.parametrize(
    "code", ["2x7", "3x5", "4x64", "16x9", "16x256", "20x33", "33x64", "64x64", "128x16", "200x130"]
)
@pytest.mark.parametrize("rows", [1, 64, 65, 1_500])
@pytest.mark.parametrize("n", [1, 10, 30, 2_000])
def test_a_quick_search_gives_the_slow_answer(code, rows, n, rng, kernels, segment_of, exact_search, assert_identical):
    spec = CodeSpec.parse(code)
    symbols = rng.integers(0, spec.k, (rows, spec.d)).astype(np.uint8)
    ids, keep = rng.permutation(rows + 5)[:rows], rng.random(rows) < 0.8
    keep[0] = True
    some = rows // 3
    segments = [
        segment_of(spec, symbols[:some], ids[:some], keep[:some]),
        segment_of(spec, symbols[some:], ids[some:], keep[some:]),
    ]
    table = table_of(rng, spec, 1)
    expected = exact_search(symbols[keep], ids[keep], table[None], n)
    for kernel in kernels:
        search = QuickSearch(kernel, Layout(spec), segments)
        assert search.usable
        for asked in (table, table[None]):
            found = search.search(asked, n)
            assert_identical([part[None] for part in found], expected)


def index_of(rng, spec, rows, **given):
    index = CodeIndex(spec)
    symbols = rng.integers(0, spec.k, (rows, spec.d))
    index.add(symbols, **given)
    return index, symbols


@pytest.mark.parametrize("labels", [None, "int", "str"])
def test_an_index_answers_plain_tables_as_any_others(labels, rng, kernels):
    spec = CodeSpec(64, 16)
    given = {None: None, "int": np.arange(500) % 7, "str": [f"of {i % 7}" for i in range(500)]}[labels]
    index, _ = index_of(rng, spec, 500, labels=given)
    index.remove([3, 77])
    table = table_of(rng, spec)
    strange = np.repeat(table, 2, axis=1)[:, ::2]
    for plain, same in ((table, strange), (table, table.astype(np.float64)), (table, table.tolist())):
        expected, found = index.search(same, 5), index.search(plain, 5)
        np.testing.assert_array_equal(found.ids, expected.ids)
        np.testing.assert_array_equal(found.scores, expected.scores)
        assert found.ids.shape == (5,)
        assert (found.labels is None) == (labels is None)
        if labels is not None:
            np.testing.assert_array_equal(found.labels, expected.labels)
    assert index.search(table[None], 5).ids.shape == index.search(strange[None], 5).ids.shape == (1, 5)


@pytest.mark.parametrize("wrong", ["NaN", "+infinity"])
@pytest.mark.parametrize("place", [0, 37, 16 * 40 - 1])
def test_tables_that_nobody_may_search_with_are_refused_as_ever(wrong, place, rng, kernels):
    spec = CodeSpec(40, 16)
    index, _ = index_of(rng, spec, 300)
    table = table_of(rng, spec)
    table.reshape(-1)[place] = np.nan if wrong == "NaN" else np.inf
    with pytest.raises(InputError, match=f"finite or -infinity; got {wrong.replace('+', '[+]')}"):
        index.search(table, 3)
    with pytest.raises(InputError, match="of shape"):
        index.search(table[:-1], 3)
    with pytest.raises(InputError, match="at least 1"):
        index.search(table_of(rng, spec), 0)
    with pytest.raises(InputError, match="at least 1 thread"):
        index.search(table_of(rng, spec), 3, threads=0)


def test_what_is_added_is_found_and_answers_stay_as_they_were(rng, kernels):
    spec = CodeSpec(33, 8)
    index, _ = index_of(rng, spec, 200)
    table = table_of(rng, spec)
    before = index.search(table, 3)
    ids, scores = before.ids.copy(), before.scores.copy()
    index.add(table.argmax(axis=1)[None], ids=[9_999])
    assert index.search(table, 1).ids.tolist() == [9_999]
    for _ in range(5):
        index.search(table_of(rng, spec), 3)
    gc.collect()
    np.testing.assert_array_equal(before.ids, ids)
    np.testing.assert_array_equal(before.scores, scores)
    assert index.search(table, 10**30).ids.shape == (201,)


def test_an_empty_index_and_one_too_large_have_none(rng, segment_of):
    spec = CodeSpec(16, 4)
    assert quick_search(Layout(spec), []) is None
    many = [segment_of(spec, np.zeros((70_000, 4), dtype=np.uint8))]
    assert quick_search(Layout(spec), many) is None
    assert CodeIndex(spec).search(table_of(rng, spec), 3).ids.shape == (0,)


def test_threads_share_a_quick_search_while_items_are_added(rng, kernels, exact_search, assert_identical):
    spec = CodeSpec(64, 8)
    index, symbols = index_of(rng, spec, 2_000)
    tables = [table_of(rng, spec) for _ in range(60)]
    worst = np.stack(tables).sum(0).argmin(axis=1)
    expected = [exact_search(symbols, np.arange(2_000), table[None], 5) for table in tables]
    stop = threading.Event()

    def add():
        while not stop.is_set():
            index.add(worst[None])
            time.sleep(1e-3)

    adding = threading.Thread(target=add)
    adding.start()
    try:
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda table: index.search(table[None], 5), tables))
    finally:
        stop.set()
        adding.join()
    for one, slow in zip(found, expected, strict=True):
        assert_identical((one.ids, one.scores), slow)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers here")
def test_a_search_inside_an_interrupted_search_disturbs_nothing(rng, kernels, exact_search, assert_identical):
    spec = CodeSpec(64, 16)
    index, symbols = index_of(rng, spec, 1_000)
    tables = [table_of(rng, spec) for _ in range(2)]
    expected = exact_search(symbols, np.arange(1_000), tables[0][None], 5)
    previous = signal.signal(signal.SIGALRM, lambda *_: index.search(tables[1], 5))
    signal.setitimer(signal.ITIMER_REAL, 1e-4, 1e-4)
    try:
        for _ in range(3_000):
            found = index.search(tables[0][None], 5)
            assert_identical((found.ids, found.scores), expected)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
