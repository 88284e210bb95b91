"""A classifier that learns from another as well as from the labels.

References
----------
Furlanello, Lipton, Tschannen, Itti, Anandkumar, "Born-again neural networks", ICML 2018; for few-shot features Tian,
Wang, Krishnan, Tenenbaum, Isola, "Rethinking few-shot image classification: a good embedding is all you need?", ECCV
2020, whose weight and temperature are taken.
"""

from __future__ import annotations

from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from dimco.baselines.metric import CrossEntropy
from dimco.baselines.metric.output import MetricOutput, checked_batch
from dimco.embedding_model import EmbeddingModel

_OF_TEACHER, _TEMPERATURE = 0.5, 4.0


class TaughtBackbone(nn.Module):
    """A backbone that in training gives a teacher's class scores beside its own features, and alone afterwards.

    Parameters
    ----------
    student : nn.Module
        With its width as `out_features`.
    teacher : EmbeddingModel
        Whose embeddings are class scores; it stays as it is.
    """

    def __init__(self, student: nn.Module, teacher: EmbeddingModel) -> None:
        super().__init__()
        self.student, self.teacher = student, teacher.requires_grad_(False).eval()
        self.out_features = cast(int, student.out_features)

    def train(self, mode: bool = True) -> TaughtBackbone:
        super().train(mode)
        self.teacher.eval()
        return self

    def forward(self, x: Tensor) -> Tensor:
        features: Tensor = self.student(x)
        if not self.training:
            return features
        with torch.no_grad():
            taught = self.teacher(x)
        return torch.cat([features, taught.to(features)], 1)


class DistilledCrossEntropy(nn.Module):
    """Half the cross-entropy of the labels, half the divergence from the teacher's softened scores.

    Parameters
    ----------
    classifier : CrossEntropy
        Takes the features.
    """

    def __init__(self, classifier: CrossEntropy) -> None:
        super().__init__()
        self.classifier = classifier
        self.config: dict[str, Any] = {**classifier.config, "distilled": _OF_TEACHER, "temperature": _TEMPERATURE}

    def forward(self, embeddings: Tensor, labels: Tensor, generator: torch.Generator | None = None) -> MetricOutput:
        width = self.classifier.config["features"]
        features, taught = checked_batch(embeddings, labels).split([width, embeddings.shape[1] - width], 1)
        scores = self.classifier.linear(features)
        softened = F.log_softmax(scores / _TEMPERATURE, 1)
        divergence = F.kl_div(softened, F.log_softmax(taught / _TEMPERATURE, 1), reduction="batchmean", log_target=True)
        of_labels = F.cross_entropy(scores, labels)
        return MetricOutput((1 - _OF_TEACHER) * of_labels + _OF_TEACHER * _TEMPERATURE**2 * divergence)
