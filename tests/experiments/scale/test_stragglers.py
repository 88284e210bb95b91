"""Factors on a machine's time."""

import math

import numpy as np
import pytest

from dimco.experiments.scale.stragglers import Stragglers


def test_the_mean_is_that_of_many_draws(rng):
    stragglers = Stragglers(sigma=0.3, slow_share=0.1, slow_least=2, slow_power=4)
    assert stragglers.factors(rng, 400_000).mean() == pytest.approx(stragglers.mean, rel=0.01)


def test_without_slow_requests_the_logarithm_is_normal(rng):
    drawn = np.log(Stragglers(sigma=0.2, slow_share=0).factors(rng, 100_000))
    assert drawn.mean() == pytest.approx(0, abs=0.005)
    assert drawn.std() == pytest.approx(0.2, rel=0.02)


def test_slow_requests_have_a_power_law(rng):
    drawn = Stragglers(sigma=0, slow_share=1, slow_least=3, slow_power=2.5).factors(rng, 200_000)
    assert drawn.min() >= 3
    assert (drawn > 6).mean() == pytest.approx(2**-2.5, rel=0.03)
    assert np.median(drawn) == pytest.approx(3 * math.pow(2, 1 / 2.5), rel=0.02)
