"""Tasks drawn from labelled embeddings."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.metrics import mutual_info_score

from dimco.backbones import Standardize
from dimco.experiments.bound.tasks import Environment, halves, information
from dimco.heads import LinearHead
from dimco.model import CodeModel
from dimco.spec import CodeSpec

LABELS = np.arange(70) % 7


def test_halves_share_no_item_and_have_every_class(rng):
    first, second = halves(LABELS, 7, 3, rng)
    assert not set(first.rows.flat) & set(second.rows.flat)
    for half in (first, second):
        np.testing.assert_array_equal(LABELS[half.rows], np.repeat(np.arange(7), 5).reshape(7, 5))


def test_tasks_have_their_classes_and_samples(rng):
    environment = Environment(np.argsort(LABELS, kind="stable").reshape(7, 10), ways=3)
    drawn = environment.draw(200, rng)
    assert len(drawn.rows) == 200
    assert len(set(drawn.labels)) == 3
    np.testing.assert_array_equal(LABELS[drawn.rows], drawn.labels)
    whole = environment.whole(rng)
    assert len(set(whole.rows)) == len(whole.rows) == 30
    np.testing.assert_array_equal(LABELS[whole.rows], whole.labels)


def test_classes_come_about_equally_often(rng):
    environment = Environment(np.arange(14).reshape(7, 2), ways=3)
    seen = np.bincount(np.concatenate([np.unique(environment.draw(60, rng).labels) for _ in range(300)]))
    assert seen.min() > 90


@pytest.mark.parametrize(("k", "d", "kinds"), [(4, 2, {"codeword", "positions"}), (4, 5, {"positions"})])
def test_information_is_that_of_the_task_in_bits(rng, k, d, kinds):
    x = rng.normal(size=(70, 4)).astype(np.float32)
    model = CodeModel(Standardize(4).fit(x), LinearHead(4, CodeSpec(k, d)))
    model.head.layers[1].weight.data *= 1e6
    task = Environment(np.argsort(LABELS, kind="stable").reshape(7, 10), ways=5).draw(50, rng)
    found = information(model, x, task)
    symbols = model.encode(x[task.rows]).unpack()
    assert set(found) == kinds
    slow = sum(mutual_info_score(column, task.labels) for column in symbols.T)
    assert found["positions"] == pytest.approx(slow / math.log(2), abs=1e-4)
    if "codeword" in found:
        words = [str(row) for row in symbols]
        assert found["codeword"] == pytest.approx(mutual_info_score(words, task.labels) / math.log(2), abs=1e-4)
