"""A classifier of the training classes, whose features serve other classes."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from dimco.baselines.metric.output import MetricOutput, checked_batch
from dimco.errors import InputError


class CrossEntropy(nn.Module):
    """A linear classifier on the embeddings, trained with cross-entropy.

    Unseen classes are told apart by `dimco.baselines.metric.nearest_centroid_scores` of the embeddings.

    Parameters
    ----------
    features : int
        Width of an embedding.
    classes : int
        Number of training classes; labels run from 0 to classes - 1.

    References
    ----------
    Chen, Liu, Kira, Wang, Huang, "A closer look at few-shot classification", ICLR 2019.
    """

    def __init__(self, features: int, classes: int) -> None:
        super().__init__()
        if features < 1 or classes < 2:
            raise InputError(f"expected at least 1 feature and 2 classes; got {features} and {classes}")
        self.linear = nn.Linear(features, classes)
        self.config = {"features": features, "classes": classes}

    def forward(self, embeddings: Tensor, labels: Tensor, generator: torch.Generator | None = None) -> MetricOutput:
        embeddings = checked_batch(embeddings, labels)
        return MetricOutput(F.cross_entropy(self.linear(embeddings), labels))
