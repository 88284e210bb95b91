"""The simulated cluster agrees with closed forms of queues, maxima and availability."""

import itertools

import numpy as np
import pytest

from dimco.experiments.scale.cluster import Cluster, Traffic, refused_share, simulate

IDLE = 1e-6


def always(rng, count):
    return np.ones(count)


def exponential(rng, count):
    return rng.exponential(1, count)


def latencies(cluster, rate, factors, rng, queries=4_000, epochs=4):
    return simulate(cluster, Traffic(rate, epochs, queries, 200), factors, rng).latencies


def test_idle_machines_of_one_speed_take_their_time_and_the_overhead(rng):
    found = latencies(Cluster(7, 2, 0.5, overhead=0.25), IDLE, always, rng, 20)
    np.testing.assert_allclose(found, 0.75, rtol=1e-6)


def test_a_query_waits_for_the_slowest_of_its_shards(rng):
    """The maximum of n exponential times has mean 1 + 1/2 + ... + 1/n and distribution (1 - exp(-x)) ** n."""
    found = latencies(Cluster(20, 1, 1.0), IDLE, exponential, rng)
    assert found.mean() == pytest.approx(sum(1 / n for n in range(1, 21)), rel=0.02)
    for percent in (50, 99):
        assert np.percentile(found, percent) == pytest.approx(-np.log(1 - (percent / 100) ** (1 / 20)), rel=0.05)


@pytest.mark.parametrize("load", [0.3, 0.6])
def test_one_machine_of_constant_speed_is_the_queue_m_d_1(load, rng):
    found = latencies(Cluster(1, 1, 2.0), load / 2, always, rng, 10_000)
    assert found.mean() == pytest.approx(2 + 2 * load / (2 * (1 - load)), rel=0.03)


def test_one_machine_of_exponential_speed_is_the_queue_m_m_1(rng):
    found = latencies(Cluster(1, 1, 1.0), 0.5, exponential, rng, 20_000)
    assert found.mean() == pytest.approx(1 / (1 - 0.5), rel=0.06)


def test_shards_of_constant_speed_wait_together(rng):
    found = latencies(Cluster(30, 1, 2.0), 0.25, always, rng, 10_000)
    assert found.mean() == pytest.approx(2 + 2 * 0.5 / (2 * 0.5), rel=0.05)


def test_asking_twice_at_once_is_the_minimum_of_two(rng):
    found = latencies(Cluster(1, 2, 1.0, hedge_after=0.0), IDLE, exponential, rng)
    assert found.mean() == pytest.approx(0.5, rel=0.05)


def test_asking_again_later_cuts_the_tail_there(rng):
    """P(first > t and h + second > t) = exp(-t) exp(-(t - h)) for t > h."""
    found = latencies(Cluster(1, 2, 1.0, hedge_after=2.0), IDLE, exponential, rng, 10_000)
    assert (found > 3).mean() == pytest.approx(np.exp(-3 - 1), rel=0.1)
    assert (found > 1).mean() == pytest.approx(np.exp(-1), rel=0.05)


@pytest.mark.parametrize(("shards", "replicas"), [(5, 1), (5, 2), (40, 3)])
def test_refusals_are_those_of_independent_machines(shards, replicas, rng):
    cluster = Cluster(shards, replicas, 1.0, down_share=0.2)
    found = simulate(cluster, Traffic(IDLE, 4_000, 1, 0), always, rng)
    assert refused_share(cluster) == pytest.approx(1 - (1 - 0.2**replicas) ** shards)
    assert found.refused == pytest.approx(refused_share(cluster), abs=0.025)
    assert len(found.latencies) == round(4_000 * (1 - found.refused))


def test_refusals_are_counted_over_every_pattern_of_machines():
    refused = 0.0
    for up in itertools.product((True, False), repeat=4):
        weight = np.prod([0.9 if one else 0.1 for one in up])
        if not ((up[0] or up[1]) and (up[2] or up[3])):
            refused += weight
    assert refused_share(Cluster(2, 2, 1.0, down_share=0.1)) == pytest.approx(refused)


def test_a_replica_that_is_down_leaves_its_work_to_the_others(rng):
    """Two replicas of which one is always down are one machine: twice the load."""

    class Fixed:
        def __init__(self, draws):
            self.draws = draws

        def random(self, shape):
            return np.array([[1.0, 0.0]]) if shape == (1, 2) else self.draws.random(shape)

        def __getattr__(self, name):
            return getattr(self.draws, name)

    found = latencies(Cluster(1, 2, 1.0, down_share=0.5), 0.6, always, Fixed(rng), 20_000)
    assert found.mean() == pytest.approx(1 + 0.6 / (2 * 0.4), rel=0.05)


def test_nothing_answered_has_no_percentile(rng):
    found = simulate(Cluster(3, 1, 1.0, down_share=1.0), Traffic(1.0, 5, 5, 0), always, rng)
    assert found.refused == 1
    assert np.isnan(found.percentile(50))
