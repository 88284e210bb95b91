"""The held-out part of the training data."""

import numpy as np
import pytest

from dimco.errors import InputError
from dimco.training.split import held_out_split


def counts(labels, rows):
    return np.bincount(labels[rows], minlength=labels.max() + 1).tolist()


def test_every_row_is_on_one_side_and_both_are_in_order(rng):
    labels = rng.integers(0, 7, 300)
    kept, held_out = held_out_split(labels, 0.3, rng)
    assert sorted([*kept, *held_out]) == list(range(300))
    assert (np.diff(kept) > 0).all()
    assert (np.diff(held_out) > 0).all()


def test_each_class_gives_its_fraction_and_keeps_its_last_item(rng):
    labels = np.repeat([0, 1, 2, 3], [100, 10, 2, 1])
    kept, held_out = held_out_split(labels, 0.8, rng)
    assert counts(labels, held_out) == [80, 8, 1, 0]
    assert counts(labels, kept) == [20, 2, 1, 1]


def test_the_generator_decides_which():
    labels = np.repeat([0, 1], 50)
    first, again, other = (held_out_split(labels, 0.5, np.random.default_rng(seed))[1].tolist() for seed in (0, 0, 1))
    assert first == again
    assert first != other


@pytest.mark.parametrize("fraction", [0.0, 1.0, -0.1, float("nan")])
def test_fractions_that_split_nothing_are_refused(fraction, rng):
    with pytest.raises(InputError, match="fraction between 0 and 1"):
        held_out_split(np.repeat([0, 1], 5), fraction, rng)


def test_classes_too_small_to_split_are_named(rng):
    with pytest.raises(InputError, match=r"classes large enough to hold out 0\.2 of each; the largest has 2"):
        held_out_split(np.array([0, 0, 1, 1]), 0.2, rng)
