"""DimcoFewShot, against the rules applied by hand and against a vote of one neighbour."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from dimco import CodeModel, CodeSpec, LinearHead
from dimco.backbones import Standardize
from dimco.classify import knn_predict
from dimco.errors import InputError
from dimco.fewshot import DimcoFewShot
from dimco.fewshot.rules import Rule

SPEC = CodeSpec(k=8, d=12)


@pytest.fixture
def model(blobs):
    """Random weights, large enough for sure symbols."""
    model = CodeModel(Standardize(6).fit(blobs.x), LinearHead(6, SPEC)).eval()
    model.head.layers[1].weight.data *= 10
    return model


@pytest.mark.parametrize("name", ["nearest", "product", "counts", "mean", "match", "centroid"])
def test_every_rule_knows_classes_that_lie_apart_by_any_name(model, blobs, name):
    names = np.array(["hen", "cat", "dog"])[blobs.labels]
    fewshot = DimcoFewShot(model, name).fit(blobs.x[::4], names[::4])
    assert fewshot.classes_.tolist() == ["cat", "dog", "hen"]
    assert (fewshot.predict(blobs.x) == names).mean() > 0.9


def test_scores_are_the_rule_s_in_the_order_of_the_classes(model, blobs):
    rule = Rule("match", concentration=0.3, temperature=2.0)
    order = np.array([7, 3, 5])[blobs.labels]
    fewshot = DimcoFewShot(model, rule, batch_size=7).fit(blobs.x[::5], order[::5])
    log_p, places = model.log_probs(blobs.x), torch.tensor([2, 0, 1])[torch.from_numpy(blobs.labels)]
    expected = rule.scores(rule.stored(log_p[::5]), places[::5], rule.asked(log_p), 3)
    np.testing.assert_allclose(fewshot.scores(blobs.x), expected.numpy(), rtol=1e-4)
    np.testing.assert_array_equal(fewshot.predict(blobs.x), np.array([3, 5, 7])[expected.numpy().argmax(1)])


def test_the_paper_s_rule_is_a_vote_of_one_neighbour(model, blobs):
    fewshot = DimcoFewShot(model, "nearest").fit(blobs.x[::6], blobs.labels[::6])
    voted = knn_predict(model.log_probs(blobs.x), model.encode(blobs.x[::6]), blobs.labels[::6], neighbours=1)
    np.testing.assert_array_equal(fewshot.predict(blobs.x), voted)


def test_images_and_tensors_are_taken_as_the_model_takes_them():
    model = CodeModel(torch.nn.Flatten(), LinearHead(12, SPEC)).eval()
    images = torch.rand(6, 3, 2, 2)
    assert DimcoFewShot(model).fit(images, [1, 1, 2, 2, 3, 3]).predict(images).shape == (6,)


def test_fitting_again_forgets(model, blobs):
    fewshot = DimcoFewShot(model).fit(blobs.x[::4], blobs.labels[::4])
    rows = blobs.labels > 0
    assert set(fewshot.fit(blobs.x[rows], blobs.labels[rows]).predict(blobs.x)) == {1, 2}


def test_what_cannot_be_is_refused_in_one_line(model, blobs):
    fewshot = DimcoFewShot(model)
    with pytest.raises(InputError, match=r"call fit\(support, labels\) first"):
        fewshot.predict(blobs.x)
    with pytest.raises(InputError, match="expected 60 labels, one an item"):
        fewshot.fit(blobs.x, blobs.labels[:5])
    with pytest.raises(InputError, match="expected labels of at least 2 classes; got one class only: 0"):
        fewshot.fit(blobs.x[:20], blobs.labels[:20])
    fewshot.fit(blobs.x, blobs.labels)
    with pytest.raises(InputError, match="expected 6 features, as in training; got 5"):
        fewshot.predict(blobs.x[:, :5])
    with pytest.raises(InputError, match="expected at least one item"):
        fewshot.predict(blobs.x[:0])
    with pytest.raises(InputError, match="expected a rule of nearest"):
        DimcoFewShot(model, "closest")
    with pytest.raises(InputError, match="expected a batch of at least 1 item; got 0"):
        DimcoFewShot(model, batch_size=0)
