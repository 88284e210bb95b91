import numpy as np
import pytest
import torch

from dimco.randomness import generator, seeded


def draws(*key):
    with seeded(*key) as own:
        return torch.randn(4).tolist(), torch.randn(4, generator=own).tolist()


def test_the_same_seed_draws_the_same():
    assert draws(3) == draws(3)
    assert draws(3, "dropout", 1) == draws(3, "dropout", 1)


@pytest.mark.parametrize("other", [(4, "dropout", 1), (3, "dropout", 2), (3, "weights", 1), (3, "dropout"), (3,)])
def test_another_seed_draws_otherwise_from_both_generators(other):
    for left, right in zip(draws(3, "dropout", 1), draws(*other), strict=True):
        assert left != right


def test_the_generator_and_the_global_state_draw_apart():
    from_state, from_generator = draws(3)
    assert from_state != from_generator


def test_nothing_outside_the_block_notices():
    torch_state, numpy_state = torch.get_rng_state(), np.random.get_state()[1].tolist()  # noqa: NPY002
    draws(3)
    assert torch.equal(torch.get_rng_state(), torch_state)
    assert np.random.get_state()[1].tolist() == numpy_state  # noqa: NPY002


def test_an_error_inside_restores_the_state():
    state = torch.get_rng_state()

    def fail():
        with seeded(3):
            torch.randn(4)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert torch.equal(torch.get_rng_state(), state)


def test_what_was_drawn_before_the_block_does_not_matter():
    before = draws(5)
    torch.randn(100)
    assert draws(5) == before


def test_each_purpose_has_a_numpy_stream_of_its_own():
    keys = [(0, "batches", 0), (0, "batches", 1), (0, "split", 0), (1, "batches", 0)]
    drawn = {generator(*key).random() for key in keys}
    assert len(drawn) == len(keys)
    assert generator(0, "split").random() == generator(0, "split", 0).random()
