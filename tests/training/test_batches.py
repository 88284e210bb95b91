from collections import Counter

import numpy as np
import pytest

from dimco.errors import InputError
from dimco.training.batches import balanced_batches, plain_batches, steps_per_epoch


@pytest.mark.parametrize(("items", "batch_size", "steps"), [(10, 3, 3), (9, 3, 3), (2, 3, 1), (1, 1, 1), (5, 5, 1)])
def test_an_epoch_is_its_full_batches_or_one_smaller_one(rng, items, batch_size, steps):
    assert steps_per_epoch(items, batch_size) == steps
    batches = list(plain_batches(items, batch_size, rng))
    assert [len(batch) for batch in batches] == [min(items, batch_size)] * steps


def test_plain_batches_show_no_item_twice(rng):
    seen = np.concatenate(list(plain_batches(23, 4, rng)))
    assert len(set(seen.tolist())) == 20
    assert set(seen.tolist()) <= set(range(23))


def test_what_waits_in_one_epoch_comes_in_another(rng):
    seen = {item for _ in range(20) for batch in plain_batches(7, 5, rng) for item in batch.tolist()}
    assert seen == set(range(7))


@pytest.mark.parametrize(("classes_a_batch", "share"), [(1, 12), (2, 6), (3, 4), (5, 2)])
def test_balanced_batches_hold_the_same_number_of_each_of_some_classes(rng, classes_a_batch, share):
    labels = rng.permutation(np.repeat([7, -1, 3, 10, 4], [12, 15, 20, 13, 40]))
    batches = list(balanced_batches(labels, classes_a_batch, 12, rng))
    assert len(batches) == len(labels) // 12
    for batch in batches:
        assert list(Counter(labels[batch].tolist()).values()) == [share] * classes_a_batch
        assert len(set(batch.tolist())) == len(batch)


def test_a_class_too_small_for_its_share_is_drawn_with_repetition(rng):
    labels = np.array([0, 0] + [1] * 30)
    for batch in balanced_batches(labels, 2, 16, rng):
        assert Counter(labels[batch].tolist()) == {0: 8, 1: 8}
        assert len({item for item in batch.tolist() if item >= 2}) == 8


def test_every_class_and_item_has_its_turn(rng):
    labels = np.repeat(np.arange(6), 5)
    seen = {item for _ in range(40) for batch in balanced_batches(labels, 2, 6, rng) for item in batch.tolist()}
    assert seen == set(range(30))


def test_the_same_generator_state_gives_the_same_batches():
    labels = np.arange(20) % 4
    for make in (lambda rng: plain_batches(20, 6, rng), lambda rng: balanced_batches(labels, 2, 6, rng)):
        runs = [np.stack(list(make(np.random.default_rng(seed)))) for seed in (1, 1, 2)]
        np.testing.assert_array_equal(runs[0], runs[1])
        assert not np.array_equal(runs[0], runs[2])


def test_more_classes_a_batch_than_there_are_is_refused(rng):
    with pytest.raises(InputError, match="expected at least 3 classes for balanced batches; got 2"):
        next(balanced_batches(np.array([0, 1]), 3, 6, rng))
