"""The choice of a kernel, and what is checked before one runs."""

import warnings

import numpy as np
import pytest

from dimco import CodeSpec
from dimco.errors import InputError
from dimco.search import kernels
from dimco.search.kernels import available_kernels, native, scan
from dimco.search.layout import Layout
from dimco.search.scan import ScanSegment

SPEC = CodeSpec(16, 3)


@pytest.fixture
def search(rng, segment_of):
    segment = segment_of(SPEC, rng.integers(0, 16, (100, 3)).astype(np.uint8))
    tables = rng.normal(size=(2, 3, 16)).astype(np.float32)
    return lambda **options: scan(Layout(SPEC), [segment], tables, 5, **options)


@pytest.fixture
def without_native(monkeypatch):
    kernels._say_that_native_is_missing.cache_clear()
    monkeypatch.setattr(native, "usable_kernels", lambda: ())
    yield
    kernels._say_that_native_is_missing.cache_clear()


def test_without_the_native_library_torch_searches_and_it_is_said_once(
    search, native_library, without_native, assert_identical, monkeypatch
):
    with pytest.warns(RuntimeWarning, match="native scan is not there") as said:
        found = search()
    assert len(said) == 1
    assert "\n" not in str(said[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        search()
    assert available_kernels() == ("torch",)
    monkeypatch.undo()
    assert_identical(found, search(kernel="portable"))


def test_a_kernel_that_is_asked_for_is_used_without_a_word(search, without_native):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        search(kernel="torch")


def test_the_best_kernel_comes_first(native_library):
    names = ["avx512", "avx2", "portable", "torch"]
    assert list(available_kernels()) == [name for name in names if name in available_kernels()]
    assert available_kernels()[-2:] == ("portable", "torch")


def test_an_absent_kernel_is_an_error_that_names_those_there_are(search, without_native):
    with pytest.raises(InputError, match=r"^expected a kernel of torch; got 'avx2'$"):
        search(kernel="avx2")


def test_a_library_that_cannot_be_loaded_counts_as_absent(tmp_path, monkeypatch):
    (tmp_path / native._LIBRARY).write_bytes(b"not a library")
    monkeypatch.setattr(kernels, "__path__", [str(tmp_path)])
    assert native.library.__wrapped__() is None


@pytest.mark.parametrize("kernel", available_kernels())
@pytest.mark.parametrize(("queries", "n", "segments"), [(0, 5, 1), (2, 0, 1), (2, 5, 0)])
def test_nothing_to_search_gives_empty_results_of_the_right_shape(kernel, queries, n, segments, segment_of):
    held = [segment_of(SPEC, np.zeros((70, 3), dtype=np.uint8))] * segments
    ids, scores = scan(Layout(SPEC), held, np.zeros((queries, 3, 16), dtype=np.float32), n, kernel=kernel)
    width = 5 if segments and n and queries else 0
    assert ids.shape == scores.shape == (queries, width)
    assert (ids.dtype, scores.dtype) == (np.int64, np.float64)


@pytest.mark.parametrize(
    ("segment", "message"),
    [
        (ScanSegment(np.zeros(95, dtype=np.uint8), 60, 0), r"expected 96 bytes for 60 codes of 16x3; got 95"),
        (ScanSegment(np.zeros(96, dtype=np.uint8), 60, np.arange(59)), r"expected 60 ids; got shape \(59,\)"),
        (
            ScanSegment(np.zeros(192, dtype=np.uint8), 65, 0, np.zeros(1, dtype=np.uint64)),
            r"expected a word for each 64 of 65 codes kept; got 1",
        ),
    ],
)
def test_memory_too_short_is_an_error_and_is_never_read(segment, message):
    with pytest.raises(InputError, match=f"^{message}$"):
        scan(Layout(SPEC), [segment], np.zeros((1, 3, 16), dtype=np.float32), 5)


def test_no_threads_are_an_error(search):
    with pytest.raises(InputError, match=r"^expected at least 1 thread; got 0$"):
        search(threads=0)


def test_tables_of_another_shape_are_an_error():
    with pytest.raises(InputError, match=r"expected tables of shape \(Q, 3, 16\) for codes of 16x3; got \(1, 3, 8\)"):
        scan(Layout(SPEC), [], np.zeros((1, 3, 8), dtype=np.float32), 5)
