"""The triplet loss, with its triplets mined in the batch."""

from __future__ import annotations

import math
from typing import Literal, get_args

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from dimco.baselines.metric.distances import distances
from dimco.baselines.metric.output import MetricOutput, checked_batch
from dimco.errors import InputError

Mining = Literal["semihard", "hard"]


class TripletLoss(nn.Module):
    """max(0, d(anchor, positive) - d(anchor, negative) + margin), over triplets mined in the batch.

    Parameters
    ----------
    margin : float, default=0.2
    mining : {"semihard", "hard"}, default="semihard"
        "semihard": the mean over all triplets whose negative is farther than the positive, by at most the margin.
        "hard" (batch-hard): the mean over anchors, each with its farthest positive and its nearest negative.
    normalized : bool, default=True
        Scale embeddings to length one before the Euclidean distance.

    Notes
    -----
    An anchor without a positive or without a negative in the batch counts for nothing. The semi-hard triplets of a
    pair are a run of the anchor's sorted negatives, so their sum takes two lookups in a running sum: the cost grows
    with the square of the batch and not with its cube, and the shapes are the same in every step.

    References
    ----------
    Schroff, Kalenichenko, Philbin, "FaceNet: a unified embedding for face recognition and clustering", CVPR 2015
    (semi-hard); Hermans, Beyer, Leibe, "In defense of the triplet loss for person re-identification", 2017 (hard).
    """

    def __init__(self, margin: float = 0.2, mining: Mining = "semihard", normalized: bool = True) -> None:
        super().__init__()
        if not 0 < margin < math.inf:
            raise InputError(f"expected a margin above 0; got {margin}")
        if mining not in get_args(Mining):
            raise InputError(f'expected mining "semihard" or "hard"; got {mining!r}')
        self.margin, self.mining, self.normalized = margin, mining, normalized
        self.config = {"margin": margin, "mining": mining, "normalized": normalized}

    def forward(self, embeddings: Tensor, labels: Tensor, generator: torch.Generator | None = None) -> MetricOutput:
        embeddings = checked_batch(embeddings, labels)
        if self.normalized:
            embeddings = F.normalize(embeddings, dim=-1)
        far = distances(embeddings, embeddings)
        same = labels[:, None] == labels
        positive = same & ~torch.eye(len(labels), dtype=torch.bool, device=labels.device)
        mined = batch_hard if self.mining == "hard" else semi_hard
        return MetricOutput(mined(far, positive, ~same, self.margin))


def batch_hard(far: Tensor, positive: Tensor, negative: Tensor, margin: float) -> Tensor:
    """The mean loss of anchors with their farthest positive and nearest negative, from distances (N, N)."""
    farthest = far.masked_fill(~positive, -math.inf).amax(1)
    nearest = far.masked_fill(~negative, math.inf).amin(1)
    usable = positive.any(1) & negative.any(1)
    difference = torch.where(usable, farthest - nearest, -math.inf)
    return F.relu(difference + margin).sum() / usable.sum().clamp_min(1)


def semi_hard(far: Tensor, positive: Tensor, negative: Tensor, margin: float) -> Tensor:
    """The mean loss of the triplets with d(a, p) < d(a, n) <= d(a, p) + margin, from distances (N, N)."""
    increasing = far.masked_fill(~negative, math.inf).sort(1).values
    first = torch.searchsorted(increasing.detach(), far.detach(), right=True)
    beyond = torch.searchsorted(increasing.detach(), (far + margin).detach(), right=True)
    running = F.pad(increasing.masked_fill(increasing == math.inf, 0).cumsum(1), (1, 0))
    triplets = (beyond - first) * positive
    of_pair = triplets * (far + margin) - (running.gather(1, beyond) - running.gather(1, first)) * positive
    return of_pair.sum() / triplets.sum().clamp_min(1)
