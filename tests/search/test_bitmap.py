import numpy as np
import pytest

from dimco.search.bitmap import common, holds, rows_in, words_of, words_with, words_without


@pytest.mark.parametrize("total", [1, 63, 64, 65, 200])
def test_bitmaps_are_sets_of_rows(rng, total):
    chosen = rng.random(total) < 0.5
    rows = np.flatnonzero(chosen)
    words = words_of(chosen)
    assert words.dtype == np.uint64
    assert [int(words[row // 64]) >> row % 64 & 1 for row in range(total)] == chosen.astype(int).tolist()
    assert np.array_equal(words_with(rows, total), words)
    assert np.array_equal(rows_in(words, total), rows)
    assert np.array_equal(holds(words, np.arange(total)), chosen)
    assert np.array_equal(rows_in(words_without(rows[:3], total, words), total), rows[3:])
    assert np.array_equal(rows_in(words_without(rows, total, None), total), np.flatnonzero(~chosen))


def test_none_stands_for_all_rows():
    assert rows_in(None, 3).tolist() == [0, 1, 2]
    assert holds(None, np.array([5, 9])).all()
    some = words_with(np.array([1, 2]), 3)
    assert common(None, None) is None
    assert common(some, None) is some
    assert common(None, some) is some
    assert rows_in(common(some, words_with(np.array([2]), 3)), 3).tolist() == [2]


def test_removing_leaves_the_bitmap_it_was_given(rng):
    words = words_with(np.array([1, 70]), 100)
    words_without(np.array([1]), 100, words)
    assert rows_in(words, 100).tolist() == [1, 70]
