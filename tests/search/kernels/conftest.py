"""What every test of the native kernels needs: a slow search that is obviously right, and segments."""

import numpy as np
import pytest

from dimco.search.kernels import native
from dimco.search.layout import Layout
from dimco.search.scan import ScanSegment


def exact_search(symbols, ids, tables, n):
    """Ids and scores: float64 sums in the order of positions, sorted by score, then by id."""
    found = []
    for table in tables.astype(np.float64):
        scores = np.zeros(len(symbols))
        for position, column in enumerate(table):
            scores = scores + column[symbols[:, position]]
        order = np.lexsort((ids, -scores))[:n]
        found.append((ids[order], scores[order]))
    return np.stack([pair[0] for pair in found]), np.stack([pair[1] for pair in found])


def assert_identical(found, expected):
    """The same ids, and the same scores to the last bit."""
    np.testing.assert_array_equal(found[0], expected[0])
    np.testing.assert_array_equal(found[1].view(np.int64), expected[1].view(np.int64))


def keep_words(keep, rest):
    """A bitmap of the rows, with the bits past the last row set as `rest` says."""
    bits = np.full(-(-len(keep) // 64) * 64, rest)
    bits[: len(keep)] = keep
    return np.packbits(bits, bitorder="little").view(np.uint64)


LOWEST, TINY = np.finfo(np.float32).min, np.float32(1e-45)


@pytest.fixture(name="exact_search")
def exact_search_fixture():
    return exact_search


@pytest.fixture(name="assert_identical")
def assert_identical_fixture():
    return assert_identical


@pytest.fixture
def segment_of():
    def make(spec, symbols, ids=0, keep=None, rest=True):
        words = None if keep is None else keep_words(keep, rest)
        return ScanSegment(Layout(spec).pack(symbols), len(symbols), ids, words)

    return make


@pytest.fixture
def native_library():
    """The library; the test is skipped where dimco is not installed, or was installed without a compiler."""
    if native.library() is None:
        pytest.skip("dimco's native library is not installed")
    return native.library()


@pytest.fixture
def random_tables():
    """Tables of ordinary and of hostile numbers, by the name of their kind."""

    def of_kind(rng, shape, kind):
        tables = rng.normal(size=shape).astype(np.float32)
        if kind == "ranges":
            tables *= (10.0 ** rng.integers(-44, 38, (1, shape[1], 1))).astype(np.float32)
        elif kind == "few values":
            tables = rng.integers(-1, 2, shape).astype(np.float32)
        elif kind == "minus infinity":
            tables[rng.random(shape) < 0.3] = -np.inf
            tables[0, 0] = -np.inf
        elif kind == "extreme":
            tables = rng.choice(np.array([LOWEST, -LOWEST, TINY, -TINY, 0, -0.0, 1], dtype=np.float32), shape)
        elif kind == "equal":
            tables[:] = -2.5
        return tables

    return of_kind
