"""The measures of the correlation study."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from sklearn.metrics import mutual_info_score

from dimco.baselines.metric import nearest_centroid_scores
from dimco.experiments.correlation.measures import (
    BATCH_CLASSES,
    BATCH_ITEMS,
    balanced_rows,
    batch_information,
    batch_recall,
    measured,
    one_shot_tasks,
)
from dimco.fewshot import Rule, rule_accuracy

LABELS = np.repeat(np.arange(7), 20)


@pytest.fixture
def embeddings():
    rng = torch.Generator().manual_seed(0)
    return torch.randn(7, 6, generator=rng)[LABELS] + torch.randn(len(LABELS), 6, generator=rng)


def test_batches_are_of_16_different_images_of_each_of_5_classes():
    rows = balanced_rows(LABELS, 9)
    assert rows.shape == (9, BATCH_CLASSES * BATCH_ITEMS)
    for batch in rows:
        assert len(set(batch)) == 80
        of_batch = LABELS[batch].reshape(BATCH_CLASSES, BATCH_ITEMS)
        assert (of_batch == of_batch[:, :1]).all()
        assert len(set(of_batch[:, 0])) == BATCH_CLASSES


def test_recall_is_that_of_a_slow_loop(embeddings):
    rows = balanced_rows(LABELS, 20)
    hits = []
    for batch in rows:
        items = torch.nn.functional.normalize(embeddings[batch], dim=1)
        for place in range(80):
            similarity = items @ items[place]
            similarity[place] = -math.inf
            hits.append(LABELS[batch[similarity.argmax()]] == LABELS[batch[place]])
    found = batch_recall(embeddings, embeddings, nearest_centroid_scores, rows)
    assert found == pytest.approx(np.mean(hits))


def test_items_that_tie_share_a_recall():
    rows = balanced_rows(LABELS, 3)
    same = torch.zeros(len(LABELS), 1)
    found = batch_recall(
        same, same, lambda support, labels, query, ways: -(query - support.transpose(1, 2)).abs(), rows
    )
    assert found == pytest.approx(15 / 79)


def test_information_of_hard_codes_is_that_of_counts():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 4, (len(LABELS), 3))
    p = torch.nn.functional.one_hot(torch.from_numpy(codes), 4).double()
    rows = balanced_rows(LABELS, 5)
    expected = [sum(mutual_info_score(LABELS[batch], codes[batch, i]) for i in range(3)) for batch in rows]
    assert batch_information(p, rows) == pytest.approx(np.mean(expected) / math.log(2))


def test_one_shot_tasks_are_of_as_many_ways_as_there_are_classes_for():
    assert sorted(one_shot_tasks(LABELS, 2)) == [5]
    assert sorted(one_shot_tasks(np.repeat(np.arange(20), 16), 2)) == [5, 10, 20]


def test_every_measure_of_a_state_is_there():
    labels = np.repeat(np.arange(10), 20)
    rng = torch.Generator().manual_seed(0)
    log_probs = (4 * torch.randn(10, 3, 8, generator=rng)[labels] + torch.randn(200, 3, 8, generator=rng)).log_softmax(
        -1
    )
    rule, tasks, rows = Rule("nearest"), one_shot_tasks(labels, 6), balanced_rows(labels, 6)
    found = measured(rule.stored(log_probs), rule.asked(log_probs), log_probs.exp(), rule.scores, tasks, rows)
    assert list(found) == ["5way1shot", "10way1shot", "recall@1", "information_bits"]
    for ways in (5, 10):
        assert found[f"{ways}way1shot"] == pytest.approx(rule_accuracy(log_probs, tasks[ways], rule).mean, abs=1e-3)
    assert found["5way1shot"] > found["10way1shot"] > 20
