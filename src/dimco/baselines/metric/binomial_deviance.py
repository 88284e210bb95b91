"""The binomial deviance loss."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from dimco.baselines.metric.distances import cosines
from dimco.baselines.metric.output import MetricOutput, checked_batch
from dimco.errors import InputError


class BinomialDeviance(nn.Module):
    """A soft step on the cosine of every pair of a batch.

    The mean over pairs of one class of log(1 + exp(-alpha (s - beta))), plus the mean over pairs of two classes
    of log(1 + exp(alpha * cost * (s - beta))), s being the cosine of the pair.

    Parameters
    ----------
    alpha : float, default=2.0
        Steepness.
    beta : float, default=0.5
        The cosine that parts pairs of one class from pairs of two.
    cost : float, default=25.0
        How much steeper pairs of two classes are.

    References
    ----------
    Yi, Lei, Li, "Deep metric learning for practical person re-identification", 2014; Ustinova, Lempitsky,
    "Learning deep embeddings with histogram loss", NIPS 2016, whose settings are the defaults.
    """

    def __init__(self, alpha: float = 2.0, beta: float = 0.5, cost: float = 25.0) -> None:
        super().__init__()
        if alpha <= 0 or cost <= 0:
            raise InputError(f"expected alpha and cost above 0; got {alpha} and {cost}")
        self.alpha, self.beta, self.cost = alpha, beta, cost
        self.config = {"alpha": alpha, "beta": beta, "cost": cost}

    def forward(self, embeddings: Tensor, labels: Tensor, generator: torch.Generator | None = None) -> MetricOutput:
        embeddings = checked_batch(embeddings, labels)
        above = self.alpha * (cosines(embeddings, embeddings) - self.beta)
        same = labels[:, None] == labels
        positive = same & ~torch.eye(len(labels), dtype=torch.bool, device=labels.device)
        return MetricOutput(_mean(F.softplus(-above), positive) + _mean(F.softplus(self.cost * above), ~same))


def _mean(values: Tensor, chosen: Tensor) -> Tensor:
    """The mean of the chosen values, 0 if there is none."""
    return (values * chosen).sum() / chosen.sum().clamp_min(1)
