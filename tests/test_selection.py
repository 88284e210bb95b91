"""The choice of a code for a number of bits, on data of its own making and with a clock of its own."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dimco import selection
from dimco.classify import knn_predict
from dimco.errors import InputError
from dimco.fitting import FitSettings, fit_code
from dimco.selection import choose_settings, code_shapes


class Rehearsal:
    """Stands in for fitting and evaluating: keeps what it is given, takes time on its own clock, scores at will."""

    def __init__(self, monkeypatch, seconds=1.0, score=lambda settings: 50.0):
        self.now, self.seconds, self.score, self.seen = 0.0, seconds, score, []
        monkeypatch.setattr(selection, "time", SimpleNamespace(perf_counter=lambda: self.now))
        monkeypatch.setattr(selection, "fit_code", self.fit)
        monkeypatch.setattr(selection, "evaluate", self.evaluate)

    def fit(self, x, labels, classes, settings):
        self.now += self.seconds
        return SimpleNamespace(model=(settings, x, labels, classes))

    def evaluate(self, model, support, query, neighbours):
        settings, x, labels, classes = model
        assert x is support[0]
        assert labels is support[1]
        self.seen.append((settings, support, query, classes, neighbours))
        return SimpleNamespace(top1=self.score(settings))


@pytest.fixture
def numbered():
    """100 items in 5 classes; an item's only feature is its number."""
    return np.arange(100.0)[:, None], np.arange(100) % 5


@given(st.integers(1, 4096))
def test_shapes_have_exactly_that_many_bits(bits):
    shapes = code_shapes(bits)
    assert {shape.bits for shape in shapes} == {bits}
    assert len(set(shapes)) == len(shapes)
    assert shapes[0].k == 16 or bits % 4, "16 symbols come first"


@pytest.mark.parametrize(
    ("bits", "expected"), [(1, ["2x1"]), (7, ["2x7"]), (6, ["4x3", "2x6"]), (8, ["16x2", "256x1", "4x4", "2x8"])]
)
def test_shapes_of_some_numbers_of_bits(bits, expected):
    assert [str(shape) for shape in code_shapes(bits)] == expected


@pytest.mark.parametrize("bits", [0, -8])
def test_less_than_a_bit_is_refused(bits, numbered):
    with pytest.raises(InputError, match=f"expected a whole number of bits an item, at least 1; got {bits}"):
        code_shapes(bits)
    with pytest.raises(InputError, match=f"expected a whole number of bits an item, at least 1; got {bits}"):
        choose_settings(*numbered, 5, bits)


def test_bits_that_no_code_has_are_refused():
    with pytest.raises(InputError, match=r"expected a number of bits that .* can make; got 4097"):
        code_shapes(4097)


def test_the_best_trial_is_chosen_and_all_are_told(monkeypatch, numbered):
    def score(settings):
        return 90.0 if (settings.head, settings.k) == ("mlp", 4) and settings.independence == 3.0 else 40.0

    Rehearsal(monkeypatch, score=score)
    told = []
    chosen, trials = choose_settings(*numbered, 5, 8, time_budget=1e9, on_trial=told.append)
    assert told == trials
    assert (chosen.spec.bits, chosen.k, chosen.head, chosen.independence) == (8, 4, "mlp", 3.0)
    assert {trial.settings.spec for trial in trials} == set(code_shapes(8))
    assert len({trial.settings for trial in trials}) == len(trials), "nothing is tried twice"
    assert max(trials, key=lambda trial: trial.top1).settings == chosen
    assert {trial.seconds for trial in trials} == {1.0}


def test_of_equal_trials_the_first_is_chosen(monkeypatch, numbered):
    Rehearsal(monkeypatch)
    chosen, trials = choose_settings(*numbered, 5, 8, time_budget=1e9)
    assert chosen == trials[0].settings


@pytest.mark.parametrize(("budget", "made"), [(0.0, 1), (19.0, 1), (20.0, 2), (35.0, 3), (40.0, 4)])
def test_no_trial_starts_that_would_end_after_the_budget_but_the_first(monkeypatch, numbered, budget, made):
    rehearsal = Rehearsal(monkeypatch, seconds=10.0)
    _, trials = choose_settings(*numbered, 5, 8, time_budget=budget)
    assert len(trials) == made
    assert rehearsal.now <= max(budget, 10.0)


@pytest.mark.parametrize("budget", [-1.0, float("nan")])
def test_a_budget_below_zero_is_refused(numbered, budget):
    with pytest.raises(InputError, match=f"expected a time budget of at least 0 seconds; got {budget}"):
        choose_settings(*numbered, 5, 8, time_budget=budget)


def test_trials_see_nothing_but_disjoint_parts_of_the_items_given(monkeypatch, numbered):
    x, labels = numbered
    rehearsal = Rehearsal(monkeypatch)
    choose_settings(x, labels, 5, 4, time_budget=1e9)
    for _, support, query, classes, neighbours in rehearsal.seen:
        stored, asked = support[0][:, 0].astype(int), query[0][:, 0].astype(int)
        assert sorted([*stored, *asked]) == list(range(100))
        np.testing.assert_array_equal(support[1], labels[stored])
        np.testing.assert_array_equal(query[1], labels[asked])
        assert np.bincount(query[1]).tolist() == [4] * 5, "a fifth of each class is held out"
        assert (classes, neighbours) == (5, 8)


def test_large_data_is_thinned(monkeypatch, numbered):
    rehearsal = Rehearsal(monkeypatch)
    monkeypatch.setattr(selection, "_MOST_ITEMS", 50)
    choose_settings(*numbered, 5, 4, time_budget=0)
    _, support, query, *_ = rehearsal.seen[0]
    stored, asked = set(support[0][:, 0]), set(query[0][:, 0])
    assert (len(stored), len(asked)) == (40, 10)
    assert not stored & asked


def test_thinning_leaves_at_least_one_query(monkeypatch):
    rehearsal = Rehearsal(monkeypatch)
    monkeypatch.setattr(selection, "_MOST_ITEMS", 10)
    labels = np.concatenate([np.repeat(np.arange(20), 2), [0]])
    choose_settings(np.zeros((41, 1)), labels, 20, 4, time_budget=0)
    assert len(rehearsal.seen[0][2][1]) == 1


def test_what_is_not_chosen_comes_from_the_base(monkeypatch, numbered):
    rehearsal = Rehearsal(monkeypatch)
    base = FitSettings(seed=7, epochs=3, lr=0.5, batch_size=9, hidden=11, device="cpu", held_out=0.25, patience=2)
    chosen, trials = choose_settings(*numbered, 5, 8, base, time_budget=1e9)
    assert (chosen.seed, chosen.epochs, chosen.lr, chosen.batch_size, chosen.hidden) == (7, 3, 0.5, 9, 11)
    assert (chosen.device, chosen.held_out, chosen.patience) == ("cpu", 0.25, 2)
    assert {trial.settings.held_out for trial in trials} == {0.0}, "trials hold out a part of their own"
    assert len(rehearsal.seen) == len(trials)


def test_other_seeds_hold_out_other_items(monkeypatch, numbered):
    rehearsal = Rehearsal(monkeypatch)
    for seed in (1, 1, 2):
        choose_settings(*numbered, 5, 4, FitSettings(seed=seed), time_budget=0)
    first, again, other = (entry[2][0][:, 0].tolist() for entry in rehearsal.seen)
    assert first == again != other


def test_a_trial_scores_what_a_fit_on_the_rest_scores_on_the_held_out_part(blobs, monkeypatch):
    parts = []

    def spy(model, support, query, neighbours):
        parts.append((support, query, neighbours))
        return evaluate(model, support, query, neighbours)

    evaluate = selection.evaluate
    monkeypatch.setattr(selection, "evaluate", spy)
    base = FitSettings(epochs=2, lr=1e-4)
    _, (trial,) = choose_settings(blobs.x, blobs.labels, 3, 4, base, time_budget=0)
    ((x, y), (asked, truth), neighbours) = parts[0]
    model = fit_code(x, y, 3, trial.settings).model
    predicted = knn_predict(model.log_probs(asked), model.encode(x), y, neighbours)
    assert trial.top1 == pytest.approx(100 * np.mean(predicted == truth))


def test_classes_too_small_to_hold_out_from_are_refused():
    with pytest.raises(InputError, match=r"expected classes large enough to hold out 0\.2 of each; the largest has 1"):
        choose_settings(np.zeros((4, 2)), np.arange(4), 4, 4)
