"""A classifier with a teacher, against sums spelled out."""

from __future__ import annotations

import math

import pytest
import torch
from torch import nn

from dimco.baselines.metric import CrossEntropy
from dimco.embedding_model import EmbeddingModel
from dimco.experiments.fewshot.distilled import DistilledCrossEntropy, TaughtBackbone


class Layer(nn.Module):
    """A backbone with state that training would change."""

    out_features = 4

    def __init__(self):
        super().__init__()
        self.norm, self.linear = nn.BatchNorm1d(5), nn.Linear(5, 4)

    def forward(self, x):
        return self.linear(self.norm(x))


@pytest.fixture
def taught():
    torch.manual_seed(0)
    return TaughtBackbone(Layer(), EmbeddingModel(Layer(), width=3))


def test_the_teacher_speaks_in_training_alone_and_never_learns(taught):
    x = torch.randn(6, 5)
    taught.train()
    before = {name: tensor.clone() for name, tensor in taught.teacher.state_dict().items()}
    out = taught(x)
    assert out.shape == (6, 7)
    torch.testing.assert_close(out[:, 4:], taught.teacher(x))
    out.sum().backward()
    assert all(p.grad is None for p in taught.teacher.parameters())
    assert all(torch.equal(before[name], tensor) for name, tensor in taught.teacher.state_dict().items())
    torch.testing.assert_close(taught.eval()(x), taught.student(x))


def test_the_loss_is_half_of_the_labels_and_half_of_the_teacher():
    torch.manual_seed(1)
    classifier = CrossEntropy(4, 3)
    features, teacher, labels = torch.randn(5, 4), torch.randn(5, 3), torch.tensor([0, 2, 1, 1, 0])
    scores = classifier.linear(features).tolist()
    total = 0.0
    for own, taught, label in zip(scores, teacher.tolist(), labels.tolist(), strict=True):
        q, p = softmax(own, 4), softmax(taught, 4)
        total -= 0.5 * math.log(softmax(own, 1)[label])
        total += 0.5 * 16 * sum(a * math.log(a / b) for a, b in zip(p, q, strict=True))
    found = DistilledCrossEntropy(classifier)(torch.cat([features, teacher], 1), labels).total.detach()
    assert float(found) == pytest.approx(total / 5, rel=1e-5)


def softmax(scores, temperature):
    powers = [math.exp(score / temperature) for score in scores]
    return [power / sum(powers) for power in powers]
