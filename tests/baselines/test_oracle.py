"""A classifier's prediction as a code, against the classifier."""

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression

from dimco.baselines import OraclePrediction, Quantizer, knn_top1
from dimco.errors import InputError


@pytest.fixture
def classifier(blobs):
    return LogisticRegression().fit(blobs.x, blobs.labels)


def test_the_code_is_the_class_predicted(classifier, blobs):
    oracle = OraclePrediction(3, classifier.decision_function).fit(blobs.x)
    assert isinstance(oracle, Quantizer)
    np.testing.assert_array_equal(oracle.encode(blobs.x).unpack()[:, 0], classifier.predict(blobs.x))


def test_the_score_is_the_log_probability_of_the_stored_class(classifier, blobs):
    expected = classifier.predict_log_proba(blobs.x[:9])
    for predict in (classifier.decision_function, classifier.predict_log_proba):
        oracle = OraclePrediction(3, predict).fit(blobs.x)
        codes = oracle.encode(blobs.x)
        found = oracle.scores(blobs.x[:9], codes)
        np.testing.assert_allclose(found, expected[:, codes.unpack()[:, 0]], rtol=1e-3, atol=1e-5)


def test_logits_themselves_are_taken(classifier, blobs):
    logits = torch.from_numpy(classifier.decision_function(blobs.x))
    codes = OraclePrediction(3).fit(logits).encode(logits)
    assert codes == OraclePrediction(3, classifier.decision_function).fit(blobs.x).encode(blobs.x)


@pytest.mark.parametrize(("classes", "bits"), [(2, 1), (3, 2), (100, 7), (128, 7), (200, 8)])
def test_bits_are_those_of_a_class_index(classes, bits):
    assert OraclePrediction(classes).bits == bits


def test_the_vote_gives_the_accuracy_of_the_classifier(classifier, blobs, rng):
    x = blobs.x + 2 * rng.normal(size=blobs.x.shape)
    oracle = OraclePrediction(3, classifier.predict_log_proba).fit(blobs.x)
    expected = 100 * classifier.score(x, blobs.labels)
    assert expected < 100
    assert knn_top1(oracle, blobs.x, blobs.labels, x, blobs.labels, 20) == pytest.approx(expected)


def test_logits_of_another_shape_are_refused(classifier, blobs):
    with pytest.raises(InputError, match=r"expected logits of shape \(1, 4\); got \(1, 3\)"):
        OraclePrediction(4, classifier.decision_function).fit(blobs.x)
    with pytest.raises(InputError, match=r"expected logits of shape \(1, 3\); got \(1,\)"):
        OraclePrediction(3, classifier.predict).fit(blobs.x)
