import numpy as np
import pytest

from dimco import CodeIndex, CodeSpec, Where
from dimco.errors import InputError


@pytest.fixture
def index(rng):
    index = CodeIndex(CodeSpec(16, 4))
    for first in (0, 5000):
        index.add(
            rng.integers(0, 16, (300, 4)), first + rng.permutation(1000)[:300], [f"name {n % 5}" for n in range(300)]
        )
    index.remove(index.ids[::6])
    return index


@pytest.mark.parametrize(
    "where", [None, Where(labels=["name 1", "name 4"]), Where(not_ids=range(400), ids=range(5200))]
)
def test_a_copy_on_a_device_answers_as_the_index_does(index, draw_log_probs, where):
    copy = index.on("cpu")
    for shape in ((4, 16), (3, 4, 16)):
        log_probs = draw_log_probs(*shape, tied=True)
        here, there = index.search(log_probs, 25, where), copy.search(log_probs, 25, where)
        assert np.array_equal(here.ids, there.ids)
        assert np.array_equal(here.scores.view(np.int64), there.scores.view(np.int64))
        assert np.array_equal(here.labels, there.labels)


def test_a_copy_stays_as_the_index_was(index, draw_log_probs):
    log_probs, copy = draw_log_probs(4, 16), index.on("cpu")
    before = index.search(log_probs)
    index.remove(before.ids[:2])
    assert np.array_equal(copy.search(log_probs).ids, before.ids)
    assert len(copy) == len(index) + 2


def test_wrong_input_is_refused_as_by_the_index(index):
    with pytest.raises(InputError, match="expected log probabilities of shape"):
        index.on("cpu").search(np.zeros((4, 15)))
    with pytest.raises(InputError, match="expected n"):
        index.on("cpu").search(np.zeros((4, 16)), 0)


@pytest.mark.parametrize("device", ["nowhere", "cuda:99", "meta:x"])
def test_a_device_that_is_not_there_is_refused(index, device):
    with pytest.raises(InputError, match="expected a device that torch can use here"):
        index.on(device)
