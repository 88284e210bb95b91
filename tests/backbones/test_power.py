"""Powers of the size of every number, beside numpy's."""

import numpy as np
import pytest
import torch

from dimco.backbones.power import checked_power, signed_power
from dimco.errors import InputError


def test_the_size_of_every_number_is_raised_and_its_sign_kept(rng):
    x = rng.normal(size=(40, 3)) * 10
    found = signed_power(torch.from_numpy(x), 0.5).numpy()
    np.testing.assert_allclose(found, np.sign(x) * np.sqrt(np.abs(x)), atol=0.011)
    assert np.array_equal(np.sign(found), np.sign(x))


def test_a_power_of_one_changes_nothing():
    x = torch.tensor([-2.0, 0.0, 3.0])
    assert signed_power(x, 1.0) is x


def test_zero_stays_zero_and_has_a_finite_gradient():
    x = torch.zeros(3, requires_grad=True)
    powered = signed_power(x, 0.5)
    powered.sum().backward()
    assert powered.tolist() == [0, 0, 0]
    assert torch.isfinite(x.grad).all()


@pytest.mark.parametrize("power", [0, -1, 1.5])
def test_other_powers_are_refused(power):
    with pytest.raises(InputError, match=f"expected a power above 0 and at most 1; got {power}"):
        checked_power(power)
