"""The linear classifier on embeddings."""

import pytest
import torch

from dimco.baselines.metric import CrossEntropy
from dimco.errors import InputError


def test_the_loss_is_minus_the_log_probability_of_the_true_class():
    loss = CrossEntropy(5, 3)
    embeddings, labels = torch.randn(4, 5), torch.tensor([2, 0, 0, 1])
    expected = 0.0
    for x, label in zip(embeddings, labels, strict=True):
        scores = [float(w @ x + b) for w, b in zip(loss.linear.weight, loss.linear.bias, strict=True)]
        expected -= torch.tensor(scores).softmax(0)[label].log().item() / 4
    assert loss(embeddings, labels).total.item() == pytest.approx(expected, abs=1e-5)


def test_the_classifier_is_trained_with_the_embeddings():
    loss = CrossEntropy(5, 3)
    loss(torch.randn(4, 5), torch.tensor([2, 0, 0, 1])).total.backward()
    assert loss.linear.weight.grad.abs().sum() > 0


def test_wrong_settings_are_named():
    with pytest.raises(InputError, match="at least 1 feature and 2 classes; got 4 and 1"):
        CrossEntropy(4, 1)
