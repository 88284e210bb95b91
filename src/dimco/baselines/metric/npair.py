"""The N-pair loss."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from dimco.baselines.metric.balanced import BalancedObjective, by_class
from dimco.baselines.metric.output import MetricOutput, checked_batch
from dimco.errors import InputError


class NPairLoss(BalancedObjective):
    """Each anchor against its positive and one item of every other class, by inner products.

    For N classes with a pair (f_c, g_c) each, the loss is the mean over c of
    log(1 + sum_{b != c} exp(f_c . g_b - f_c . g_c)), plus a penalty on the lengths of the embeddings.

    Parameters
    ----------
    ways : int, optional
        Classes of a training batch; `dimco.training.train` tells it where it makes balanced batches.
    l2 : float, default=0.002
        Weight of the penalty, a quarter of (the mean of ||f||^2 plus that of ||g||^2): the paper asks for short
        embeddings, which the loss of inner products does not.

    Notes
    -----
    Batches are balanced. The items of a class are taken two by two, in the order of the batch: with 10 items a
    class there are 5 sets of N pairs, and the loss is their mean. The last of an odd number of items is not used.

    References
    ----------
    Sohn, "Improved deep metric learning with multi-class N-pair loss objective", NIPS 2016.
    """

    def __init__(self, ways: int | None = None, l2: float = 0.002) -> None:
        super().__init__(ways, l2=l2)
        if l2 < 0:
            raise InputError(f"expected a weight of the lengths of at least 0; got {l2}")
        self.l2 = l2

    def forward(self, embeddings: Tensor, labels: Tensor, generator: torch.Generator | None = None) -> MetricOutput:
        items = by_class(checked_batch(embeddings, labels), labels, self.ways)
        ways, pairs = items.shape[0], items.shape[1] // 2
        if pairs == 0:
            raise InputError("expected at least 2 items of each class, to make a pair; got 1")
        anchors, positives = items[:, : 2 * pairs].unflatten(1, (pairs, 2)).permute(2, 1, 0, 3)
        similarities = anchors @ positives.transpose(-1, -2)
        truth = torch.arange(ways, device=items.device).expand(pairs, ways)
        loss = F.cross_entropy(similarities.flatten(0, 1), truth.reshape(-1))
        lengths = anchors.square().sum(-1).mean() + positives.square().sum(-1).mean()
        return MetricOutput(loss + self.l2 / 4 * lengths)
