"""Codewords of classes: told apart, of equal size, and alike where classes are alike."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dimco.codewords import class_codewords
from dimco.errors import InputError
from dimco.spec import CodeSpec

shapes = {
    "k": st.integers(2, 6),
    "d": st.integers(1, 7),
    "classes": st.integers(1, 60),
    "features": st.integers(1, 4),
    "seed": st.integers(0, 2**32 - 1),
}


def words_of(k, d, classes, features, seed):
    """Means, half of them equal in pairs when the seed is odd, and their codewords."""
    rng = np.random.default_rng(seed)
    means = rng.normal(size=(classes, features))
    if seed % 2:
        means[: classes // 2] = means[classes - classes // 2 :]
    return class_codewords(means, CodeSpec(k, d), rng)


def symbols_needed(classes, k):
    """The smallest n of at least 1 with k**n >= classes."""
    return next(n for n in range(1, 64) if k**n >= classes)


@given(**shapes)
def test_classes_share_a_codeword_only_if_there_are_more_of_them(k, d, classes, features, seed):
    words = words_of(k, d, classes, features, seed)
    assert words.shape == (classes, d)
    assert words.min() >= 0
    assert words.max() < k
    assert len({tuple(word) for word in words.tolist()}) == min(classes, k**d)


@given(**shapes)
def test_every_block_of_as_many_positions_as_needed_tells_all_classes_apart(k, d, classes, features, seed):
    words, needed = words_of(k, d, classes, features, seed), symbols_needed(classes, k)
    for start in range(0, d - needed + 1, needed):
        assert len({tuple(part) for part in words[:, start : start + needed].tolist()}) == classes


@given(**shapes)
def test_groups_of_one_prefix_differ_in_size_by_one_at_most(k, d, classes, features, seed):
    words = words_of(k, d, classes, features, seed)
    for length in range(1, min(d, symbols_needed(classes, k)) + 1):
        number = words[:, :length] @ k ** np.arange(length)
        sizes = np.bincount(number, minlength=k**length)
        assert sizes.max() - sizes.min() <= 1


def test_classes_that_lie_near_share_their_first_symbols(rng):
    place = rng.permutation(64)
    direction = rng.normal(size=5)
    means = place[:, None] * direction + 1e-3 * rng.normal(size=(64, 5))
    words = class_codewords(means, CodeSpec(4, 3), rng)
    for length, together in ((1, 16), (2, 4), (3, 1)):
        for one in range(64):
            for other in range(64):
                near = place[one] // together == place[other] // together
                assert (words[one, :length] == words[other, :length]).all() == near


def test_too_many_classes_share_with_their_like(rng):
    means = np.repeat(np.arange(4.0), 3)[:, None] + 0.01 * rng.normal(size=(12, 1))
    words = class_codewords(means, CodeSpec(2, 2), rng)
    for group in words.reshape(4, 3, 2):
        assert (group == group[0]).all()
    assert len(np.unique(words, axis=0)) == 4


def test_a_later_tree_groups_the_classes_otherwise(rng):
    words = class_codewords(rng.normal(size=(16, 6)), CodeSpec(4, 4), rng)
    together = [words[:, i, None] == words[None, :, i] for i in (0, 2)]
    assert (together[0] != together[1]).any()


def test_the_generator_decides_everything(rng):
    means = rng.normal(size=(20, 4))
    one, same, other = (class_codewords(means, CodeSpec(3, 7), np.random.default_rng(s)) for s in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert (one != other).any()


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int64])
def test_means_of_any_number_type_are_taken_and_left_as_they_are(rng, dtype):
    means = rng.integers(-50, 50, (9, 4)).astype(dtype)
    before = means.copy()
    words = class_codewords(means, CodeSpec(2, 8), np.random.default_rng(0))
    np.testing.assert_array_equal(
        words, class_codewords(means.astype(np.float64), CodeSpec(2, 8), np.random.default_rng(0))
    )
    np.testing.assert_array_equal(means, before)


@pytest.mark.parametrize(
    "means", [np.zeros(4), np.zeros((2, 3, 4)), np.zeros((0, 3)), np.full((3, 2), np.nan), np.array([[0.0], [np.inf]])]
)
def test_means_that_are_no_finite_table_are_refused(means, rng):
    with pytest.raises(InputError, match="expected finite class means of shape"):
        class_codewords(means, CodeSpec(2, 2), rng)
