"""The generalization bound: its constants, its inequalities, and what it is not defined for."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dimco.errors import InputError
from dimco.information import entropy, joint_information
from dimco.theory import COUNTS, generalization_bound

SETTING = {"n": 1000, "m": 500, "k": 3, "d": 2, "classes": 5, "vc_dimension": 7, "delta": 0.1}


def test_the_terms_are_those_of_the_statement():
    found = generalization_bound(**SETTING)
    limit = math.log(5)
    splits = 7 * math.log(2 * math.e * 1000 / 7)
    assert found.tasks == pytest.approx(limit * math.sqrt(8 * (splits + math.log(80)) / 1000))
    assert found.samples == pytest.approx(29 * math.log(500) * math.sqrt(math.log(40) / 1000))
    assert found.bias == pytest.approx((10 * 6 - 4) / 500)
    assert found.trivial == pytest.approx(limit)
    assert found.total == pytest.approx(found.tasks + found.samples + found.bias)
    assert found.uniform == pytest.approx(found.tasks + found.bias)


def test_bits_put_the_length_for_the_number_of_codewords():
    found, lemma = generalization_bound(**SETTING, count="bits"), generalization_bound(**SETTING)
    size = 2 * math.log2(3)
    assert found.samples == pytest.approx((3 * size + 2) * math.log(500) * math.sqrt(math.log(40) / 1000))
    assert found.bias == pytest.approx(((size + 1) * 6 - 4) / 500)
    assert (found.tasks, found.trivial) == (lemma.tasks, lemma.trivial)


def test_positions_add_a_bound_for_each():
    found = generalization_bound(**SETTING, count="positions")
    one = generalization_bound(**{**SETTING, "d": 1, "delta": 0.05})
    np.testing.assert_allclose(found, 2 * np.array(one))


def test_one_position_is_read_alike_as_codewords_and_as_positions():
    setting = {**SETTING, "d": 1}
    assert generalization_bound(**setting) == generalization_bound(**setting, count="positions")


@pytest.mark.parametrize("count", COUNTS)
def test_the_gap_grows_with_the_code_and_falls_with_the_data(count):
    def total(**changes):
        return generalization_bound(**{**SETTING, **changes}, count=count).total

    for more in ({"k": 4}, {"d": 3}, {"vc_dimension": 8}, {"classes": 6}, {"delta": 0.05}):
        assert total(**more) > total()
    assert total(n=2000) < total()
    assert total(m=1000) < total()


def test_fewer_points_than_the_vc_dimension_split_in_every_way():
    found = generalization_bound(**{**SETTING, "n": 3})
    assert found.tasks == pytest.approx(math.log(5) * math.sqrt(8 * (6 * math.log(2) + math.log(80)) / 3))
    assert found.vacuous


def test_a_code_too_long_to_count_has_no_finite_bound():
    found = generalization_bound(**{**SETTING, "k": 16, "d": 400})
    assert found.total == math.inf
    assert math.isfinite(found.tasks)
    assert math.isfinite(generalization_bound(**{**SETTING, "k": 16, "d": 400}, count="bits").total)


def test_enough_data_makes_it_say_something():
    assert generalization_bound(**SETTING).vacuous
    assert not generalization_bound(**{**SETTING, "n": 10**5, "m": 10**6}).vacuous


@pytest.mark.parametrize("step", [1 / 50, 1 / 7, 1 / 3])
def test_the_entropy_term_moves_by_no_more_than_the_proof_says(step):
    u = np.linspace(0, 1 - step, 2001)
    h = -np.array([u, u + step]) * np.log(np.maximum([u, u + step], 1e-300))
    assert np.abs(h[1] - h[0]).max() <= -step * math.log(step) + 1e-12


def test_one_sample_moves_the_estimate_by_no_more_than_the_proof_says(rng):
    import torch

    m, size = 20, 4
    p = rng.dirichlet(np.full(size, 0.1), m)[:, None]
    labels = rng.integers(3, size=m)
    before = joint_information(torch.from_numpy(p), torch.from_numpy(labels))
    for item in range(m):
        other, changed = p.copy(), labels.copy()
        other[item, 0], changed[item] = rng.dirichlet(np.full(size, 0.1)), rng.integers(3)
        after = joint_information(torch.from_numpy(other), torch.from_numpy(changed))
        assert abs(float(after - before)) <= (3 * size + 2) * math.log(m) / m


def test_the_mean_estimate_is_within_the_bias(rng):
    import torch

    m, size, ways = 30, 4, 3
    joint = torch.from_numpy(rng.dirichlet(np.ones(size * ways))).view(size, ways)
    truth = float(entropy(joint.sum(1)) + entropy(joint.sum(0)) - entropy(joint.flatten()))
    draws = rng.choice(size * ways, (400, m), p=joint.flatten().numpy())
    estimates = []
    for cells in draws:
        one_hot = torch.nn.functional.one_hot(torch.from_numpy(cells // ways), size).double()[:, None]
        estimates.append(float(joint_information(one_hot, torch.from_numpy(cells % ways))))
    bias = ((size + 1) * (ways + 1) - 4) / m
    assert abs(np.mean(estimates) - truth) <= bias
    assert (
        np.quantile(np.abs(np.array(estimates) - truth), 0.95)
        <= generalization_bound(1, m, size, 1, ways, 1, 0.05).samples + bias
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n": 0}, "expected n of at least 1; got 0"),
        ({"m": 2}, "expected m of at least 3; got 2"),
        ({"k": 1}, "expected k of at least 2; got 1"),
        ({"d": 0}, "expected d of at least 1; got 0"),
        ({"classes": 1}, "expected classes of at least 2; got 1"),
        ({"vc_dimension": 0}, "expected vc_dimension of at least 1; got 0"),
        ({"delta": 0}, "expected delta between 0 and 1; got 0"),
        ({"delta": 1}, "expected delta between 0 and 1; got 1"),
        ({"count": "symbols"}, "expected count to be one of codewords, bits, positions; got 'symbols'"),
    ],
)
def test_what_the_bound_is_not_defined_for_is_refused(change, message):
    with pytest.raises(InputError, match=message):
        generalization_bound(**{**SETTING, **change})
