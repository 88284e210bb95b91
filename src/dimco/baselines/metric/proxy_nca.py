"""The Proxy-NCA loss."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from dimco.baselines.metric.distances import squared_distances
from dimco.baselines.metric.output import MetricOutput, checked_batch
from dimco.errors import InputError


class ProxyNCA(nn.Module):
    """Each item against one learned proxy a class, by squared distances of vectors of length one.

    The loss is the mean of -log(exp(-s d(x, own)) / sum_b exp(-s d(x, b))).

    Parameters
    ----------
    classes : int
        Number of training classes; labels run from 0 to classes - 1.
    width : int
        Width of an embedding.
    scale : float, default=9.0
        s; 9 is the same as vectors of length 3.
    own : bool, default=True
        Whether the sum over proxies b holds the item's own. True is a probability, and what pytorch-metric-learning
        computes; False is the paper's formula, which may fall below zero.

    References
    ----------
    Movshovitz-Attias, Toshev, Leung, Ioffe, Singh, "No fuss distance metric learning using proxies", ICCV 2017.
    """

    def __init__(self, classes: int, width: int, scale: float = 9.0, own: bool = True) -> None:
        super().__init__()
        if classes < 2 or width < 1:
            raise InputError(f"expected at least 2 classes and a width of 1; got {classes} and {width}")
        self.scale, self.own = scale, own
        self.config = {"classes": classes, "width": width, "scale": scale, "own": own}
        self.proxies = nn.Parameter(torch.randn(classes, width))

    def forward(self, embeddings: Tensor, labels: Tensor, generator: torch.Generator | None = None) -> MetricOutput:
        embeddings = checked_batch(embeddings, labels)
        far = squared_distances(F.normalize(embeddings, dim=-1), F.normalize(self.proxies, dim=-1))
        near = -self.scale * far
        if self.own:
            return MetricOutput(F.cross_entropy(near, labels))
        is_own = labels[:, None] == torch.arange(len(self.proxies), device=labels.device)
        others = near.masked_fill(is_own, -torch.inf).logsumexp(1)
        return MetricOutput((others - near.gather(1, labels[:, None])[:, 0]).mean())
