"""The losses that retrieval is compared with, by name, with the settings of the literature."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from torch import nn

from dimco.baselines.metric.binomial_deviance import BinomialDeviance
from dimco.baselines.metric.npair import NPairLoss
from dimco.baselines.metric.proxy_anchor import ProxyAnchor
from dimco.baselines.metric.proxy_nca import ProxyNCA
from dimco.baselines.metric.triplet import TripletLoss
from dimco.errors import InputError


class RetrievalLoss(NamedTuple):
    """A loss, and how to train with it.

    Attributes
    ----------
    loss : nn.Module
        `forward(embeddings, labels, generator)`; it mines what it needs.
    lr_factor : float
        How many times the network's learning rate the loss's own parameters take: 100 for proxies, as Kim et al.
        train theirs (CVPR 2020); it means nothing where there are no parameters.
    normalized : bool
        Whether the loss compares embeddings of length one. The N-pair loss is of inner products.
    """

    loss: nn.Module
    lr_factor: float
    normalized: bool


_PROXY_LR_FACTOR = 100.0

_BUILDERS: dict[str, Callable[[int, int], RetrievalLoss]] = {
    "binomial-deviance": lambda classes, width: RetrievalLoss(BinomialDeviance(), 1.0, True),
    "triplet": lambda classes, width: RetrievalLoss(TripletLoss(mining="semihard"), 1.0, True),
    "proxy-nca": lambda classes, width: RetrievalLoss(ProxyNCA(classes, width), _PROXY_LR_FACTOR, True),
    "n-pair": lambda classes, width: RetrievalLoss(NPairLoss(), 1.0, False),
    "proxy-anchor": lambda classes, width: RetrievalLoss(ProxyAnchor(classes, width), _PROXY_LR_FACTOR, True),
}

RETRIEVAL_LOSSES = tuple(_BUILDERS)


def build(name: str, classes: int, width: int = 128) -> RetrievalLoss:
    """The loss of that name.

    Parameters
    ----------
    name : str
        One of `RETRIEVAL_LOSSES`.
    classes : int
        Number of training classes.
    width : int, default=128
        Width of an embedding.
    """
    if name not in _BUILDERS:
        raise InputError(f"expected a loss of {', '.join(RETRIEVAL_LOSSES)}; got {name!r}")
    return _BUILDERS[name](classes, width)
