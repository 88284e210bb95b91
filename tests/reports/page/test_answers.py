"""What the nearest codes answer, and where they are wrong."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from dimco.classify import knn_predict
from dimco.reports.page.answers import answers, class_accuracies, confusions

NAMES = np.array(["ash", "birch", "cedar"])


@pytest.fixture
def found(coded):
    model, blobs = coded
    labels = NAMES[blobs.labels]
    labels[3] = "yew"
    return answers(model, (blobs.x[::2], NAMES[blobs.labels[::2]]), (blobs.x[1::2], labels[1::2]), neighbours=5)


def test_answers_are_the_votes(coded, found):
    model, blobs = coded
    slow = knn_predict(model.log_probs(blobs.x[1::2]), model.encode(blobs.x[::2]), blobs.labels[::2], 5)
    np.testing.assert_array_equal(found.predicted, slow)
    assert ((found.shares > 0.3) & (found.shares <= 1)).all()


def test_classes_that_are_not_stored_are_named_and_always_wrong(found):
    assert found.names == ["ash", "birch", "cedar", "yew"]
    assert found.truth[1] == 3
    assert 1 in found.wrong


def test_the_surest_errors_come_first(found):
    wrong = found.wrong
    assert set(wrong) == set(np.flatnonzero(found.truth != found.predicted))
    assert (np.diff(found.shares[wrong]) <= 0).all()


def test_confusions_are_counted_by_pair(found):
    records = confusions(found, most=2)
    pairs = Counter((found.names[found.truth[q]], found.names[found.predicted[q]]) for q in found.wrong)
    assert [(r["truth"], r["predicted"], r["items"]) for r in records] == [
        (*pair, n) for pair, n in pairs.most_common(2)
    ]
    size = sum(found.names[c] == records[0]["truth"] for c in found.truth)
    assert records[0]["share"] == records[0]["items"] / size


def test_classes_come_by_accuracy(found):
    records = class_accuracies(found)
    assert records[0] == {"class": "yew", "items": 1, "accuracy": 0.0}
    for record in records:
        asked = found.truth == found.names.index(record["class"])
        assert record["accuracy"] == (found.predicted[asked] == found.truth[asked]).mean()
    assert sorted(records, key=lambda record: record["accuracy"]) == records
