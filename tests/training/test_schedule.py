import itertools

import pytest

from dimco.training.schedule import learning_rate

PEAK, TOTAL = 0.02, 100


def rates(schedule, total=TOTAL):
    return [learning_rate(schedule, PEAK, step, total) for step in range(total)]


def test_one_cycle_starts_low_peaks_after_a_fifth_and_ends_at_nearly_nothing():
    path = rates("one-cycle")
    assert path[0] == pytest.approx(PEAK / 25)
    assert path[20] == pytest.approx(PEAK)
    assert path[-1] == pytest.approx(PEAK * 1e-5)
    assert max(path) == path[20]


def test_one_cycle_is_half_way_in_the_middle_of_each_part():
    path = rates("one-cycle")
    assert path[10] == pytest.approx((PEAK / 25 + PEAK) / 2)
    assert (path[59] + path[60]) / 2 == pytest.approx(PEAK / 2, rel=1e-3)


def test_one_cycle_climbs_then_falls_without_a_jump():
    path = rates("one-cycle")
    assert all(left < right for left, right in itertools.pairwise(path[:21]))
    assert all(left > right for left, right in itertools.pairwise(path[20:]))
    assert max(abs(left - right) for left, right in itertools.pairwise(path)) < PEAK / 10


def test_cosine_falls_from_the_peak_to_nearly_nothing():
    path = rates("cosine")
    assert path[0] == pytest.approx(PEAK)
    assert path[-1] == pytest.approx(PEAK * 1e-5)
    assert all(left > right for left, right in itertools.pairwise(path))


def test_constant_stays():
    assert rates("constant") == [PEAK] * TOTAL


@pytest.mark.parametrize("schedule", ["one-cycle", "cosine", "constant"])
@pytest.mark.parametrize("total", [1, 2, 3, 5, 7])
def test_short_runs_stay_above_nothing_and_below_the_peak(schedule, total):
    assert all(0 < rate <= PEAK * (1 + 1e-12) for rate in rates(schedule, total))
