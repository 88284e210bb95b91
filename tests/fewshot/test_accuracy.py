"""Accuracy over episodes, against a loop over episodes and queries."""

import math

import numpy as np
import pytest
import torch

import dimco.fewshot.accuracy as module
from dimco.errors import InputError
from dimco.fewshot.accuracy import FewShotAccuracy, episode_accuracies, rule_accuracy, shared_credit
from dimco.fewshot.episodes import draw_episodes
from dimco.fewshot.rules import Rule

LABELS = np.repeat(np.arange(6), 12)


@pytest.fixture
def log_probs(rng):
    prototypes = rng.normal(size=(6, 5, 3))
    return torch.from_numpy(prototypes[LABELS] + 1.5 * rng.normal(size=(72, 5, 3))).float().log_softmax(-1)


def slow_accuracies(log_probs, episodes, rule):
    found = []
    for support, query in zip(episodes.support, episodes.query, strict=True):
        ways = torch.from_numpy(episodes.support_ways)
        scores = rule.scores(rule.stored(log_probs[support]), ways, rule.asked(log_probs[query]), episodes.ways)
        credit = 0.0
        for row, truth in zip(scores.tolist(), episodes.query_ways, strict=True):
            best = [way for way, score in enumerate(row) if score == max(row)]
            credit += (truth in best) / len(best)
        found.append(credit / len(query))
    return found


@pytest.mark.parametrize("name", ["nearest", "mean"])
@pytest.mark.parametrize("numbers", [1, 4_000, 1 << 26])
def test_accuracies_are_those_of_a_loop_whatever_is_done_at_once(log_probs, monkeypatch, name, numbers):
    monkeypatch.setattr(module, "_NUMBERS_AT_ONCE", numbers)
    episodes = draw_episodes(LABELS, ways=4, shots=2, queries=6, episodes=17)
    rule = Rule(name)
    found = episode_accuracies(rule.stored(log_probs), rule.asked(log_probs), rule.scores, episodes)
    np.testing.assert_allclose(found.numpy(), slow_accuracies(log_probs, episodes, rule), atol=1e-6)


def test_ties_share_the_credit():
    scores = torch.tensor([[1.0, 1.0, 0.0], [2.0, 1.0, 1.0], [0.0, 0.0, 0.0], [0.0, 1.0, 1.0]])
    credit = shared_credit(scores, torch.tensor([0, 0, 2, 0]))
    torch.testing.assert_close(credit, torch.tensor([0.5, 1.0, 1 / 3, 0.0]))


def test_codes_that_say_nothing_are_as_good_as_chance():
    log_probs = torch.zeros(72, 5, 3).log_softmax(-1)
    episodes = draw_episodes(LABELS, ways=4, shots=2, queries=6, episodes=10)
    for name in ("nearest", "product", "counts", "mean", "match", "centroid"):
        assert rule_accuracy(log_probs, episodes, Rule(name)).mean == pytest.approx(25)


def test_the_interval_is_that_of_the_mean():
    accuracies = torch.tensor([0.2, 0.4, 0.9, 0.5])
    found = FewShotAccuracy.of(accuracies)
    assert found.mean == pytest.approx(50)
    assert found.interval == pytest.approx(1.96 * np.std([20, 40, 90, 50], ddof=1) / 2, rel=1e-4)
    assert found.episodes == 4
    assert math.isnan(FewShotAccuracy.of(torch.tensor([0.5])).interval)


def test_the_interval_holds_the_expected_accuracy(log_probs):
    """Intervals of fresh episodes hold the accuracy of very many episodes nearly always."""
    rule = Rule("product")
    expected = rule_accuracy(log_probs, draw_episodes(LABELS, 3, 1, 5, 4_000, seed=99), rule).mean
    inside = 0
    for seed in range(40):
        found = rule_accuracy(log_probs, draw_episodes(LABELS, 3, 1, 5, 100, seed), rule)
        inside += abs(found.mean - expected) < found.interval
    assert inside >= 34


def test_items_that_episodes_draw_must_be_there(log_probs):
    episodes = draw_episodes(LABELS, ways=4, shots=2, queries=6, episodes=3)
    rule = Rule()
    with pytest.raises(InputError, match="expected every item the episodes draw; got 10 stored and 10 asked"):
        episode_accuracies(rule.stored(log_probs[:10]), rule.asked(log_probs[:10]), rule.scores, episodes)
