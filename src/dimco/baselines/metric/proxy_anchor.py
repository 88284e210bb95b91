"""The Proxy-Anchor loss."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from dimco.baselines.metric.distances import cosines
from dimco.baselines.metric.output import MetricOutput, checked_batch
from dimco.errors import InputError


class ProxyAnchor(nn.Module):
    """One learned proxy a class, each an anchor for all items of the batch, by cosines.

    The mean over the proxies of classes in the batch of log(1 + sum_own exp(-alpha (s - margin))), plus the mean
    over all proxies of log(1 + sum_others exp(alpha (s + margin))).

    Parameters
    ----------
    classes : int
        Number of training classes; labels run from 0 to classes - 1.
    width : int
        Width of an embedding.
    margin : float, default=0.1
    alpha : float, default=32.0
        Steepness.

    References
    ----------
    Kim, Kim, Cho, Kwak, "Proxy anchor loss for deep metric learning", CVPR 2020.
    """

    def __init__(self, classes: int, width: int, margin: float = 0.1, alpha: float = 32.0) -> None:
        super().__init__()
        if classes < 2 or width < 1:
            raise InputError(f"expected at least 2 classes and a width of 1; got {classes} and {width}")
        self.margin, self.alpha = margin, alpha
        self.config = {"classes": classes, "width": width, "margin": margin, "alpha": alpha}
        self.proxies = nn.Parameter(torch.empty(classes, width))
        nn.init.kaiming_normal_(self.proxies, mode="fan_out")

    def forward(self, embeddings: Tensor, labels: Tensor, generator: torch.Generator | None = None) -> MetricOutput:
        embeddings = checked_batch(embeddings, labels)
        similarity = cosines(embeddings, self.proxies)
        own = labels[:, None] == torch.arange(len(self.proxies), device=labels.device)
        pulled = _log_one_plus_sum(-self.alpha * (similarity - self.margin), own)
        pushed = _log_one_plus_sum(self.alpha * (similarity + self.margin), ~own)
        return MetricOutput(pulled.sum() / own.any(0).sum() + pushed.mean())


def _log_one_plus_sum(exponents: Tensor, chosen: Tensor) -> Tensor:
    """log(1 + sum of exp over the chosen rows) of each column."""
    return F.pad(exponents.masked_fill(~chosen, -torch.inf), (0, 0, 1, 0)).logsumexp(0)
