"""Choices are made on validation classes, and test classes are measured with them."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from dimco.baselines.metric import nearest_centroid_scores
from dimco.experiments.fewshot.measure import (
    candidate_rules,
    chosen_rules,
    code_records,
    embedding_accuracy,
    embedding_records,
    few_shot_episodes,
    mean_validation,
    quick_accuracy,
    quick_code_accuracy,
)
from dimco.fewshot import Rule, rule_accuracy

LABELS = np.repeat(np.arange(6), 25)


def log_probs(seed, noise):
    rng = torch.Generator().manual_seed(seed)
    centres = 3 * torch.randn(6, 4, 8, generator=rng)
    return (centres[LABELS] + noise * torch.randn(len(LABELS), 4, 8, generator=rng)).log_softmax(-1)


@pytest.fixture
def tasks():
    return few_shot_episodes(LABELS, 12)


def test_tasks_are_the_same_for_everybody():
    first, second = few_shot_episodes(LABELS, 3), few_shot_episodes(LABELS, 3)
    assert sorted(first) == [1, 5]
    for shots, episodes in first.items():
        np.testing.assert_array_equal(episodes.support, second[shots].support)
        assert (episodes.ways, episodes.shots, episodes.query.shape) == (5, shots, (3, 75))


def test_each_rule_gets_the_setting_that_does_best(tasks):
    found = log_probs(0, 4.0)
    chosen = chosen_rules(found, tasks)
    for shots, records in chosen.items():
        assert [record["value"] for record in records] == sorted((r["value"] for r in records), reverse=True)
        for record in records:
            of_name = [r for r in candidate_rules() if r.name == record["rule"]["name"]]
            assert record["value"] == max(rule_accuracy(found, tasks[shots], rule).mean for rule in of_name)
        assert sorted(r["rule"]["name"] for r in records) == [
            "centroid",
            "counts",
            "match",
            "mean",
            "nearest",
            "product",
        ]


def test_what_was_chosen_is_measured_on_other_classes(tasks):
    chosen = chosen_rules(log_probs(0, 4.0), tasks)
    unseen = log_probs(1, 4.0)
    records = code_records(unseen, tasks, chosen)
    assert len(records) == 12
    for record in records:
        rule = Rule(record["rule"], record["concentration"], record["temperature"])
        assert record["value"] == round(rule_accuracy(unseen, tasks[record["shots"]], rule).mean, 3)
    for shots in (1, 5):
        best = next(r for r in chosen[shots] if r["rule"]["name"] != "nearest")
        marked = [r["rule"] for r in records if r["shots"] == shots and r["aggregated"]]
        assert marked == [best["rule"]["name"]]


def test_the_papers_rule_is_measured_as_it_is(tasks):
    records = code_records(log_probs(0, 4.0), tasks, chosen_rules(log_probs(2, 4.0), tasks))
    nearest = [r for r in records if r["rule"] == "nearest"]
    assert {(r["temperature"], r["aggregated"]) for r in nearest} == {(1.0, False)}


def test_embeddings_are_measured_by_their_own_scores(tasks):
    rng = torch.Generator().manual_seed(0)
    embeddings = torch.randn(6, 5, generator=rng)[LABELS] + torch.randn(len(LABELS), 5, generator=rng)
    records = embedding_records(embeddings, nearest_centroid_scores, tasks, {1: 50.0, 5: 60.0})
    expected = [embedding_accuracy(embeddings, nearest_centroid_scores, tasks[shots]).mean for shots in (1, 5)]
    assert [r["value"] for r in records] == [round(value, 3) for value in expected]
    assert [r["validation"] for r in records] == [50.0, 60.0]
    assert quick_accuracy(embeddings, nearest_centroid_scores, tasks) == pytest.approx(sum(expected) / 2)


def test_one_number_for_a_state_and_for_a_run(tasks):
    found = log_probs(0, 4.0)
    values = [rule_accuracy(found, tasks[s], Rule(name)).mean for s in (1, 5) for name in ("nearest", "centroid")]
    assert quick_code_accuracy(found, tasks) == pytest.approx(sum(values) / 4)
    records = [{"shots": s, "validation": v} for s, v in ((1, 40.0), (1, 44.0), (5, 60.0), (5, 58.0))]
    assert mean_validation(records) == 52.0
