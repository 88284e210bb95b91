"""Matching networks."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from dimco.baselines.episodic.base import EpisodicLearner, memberships
from dimco.baselines.metric.distances import cosines
from dimco.errors import InputError


class MatchingNet(EpisodicLearner):
    """Matching networks: attention by cosine over the items of the support, without full context embeddings.

    The probability of a class is the share of the attention, a softmax over all items of the support, that its
    items get.

    Parameters
    ----------
    shots : int, default=5
        Items of each class of a training batch that are its support.
    ways : int, optional
        Classes of a training batch; `dimco.training.train` tells it where it makes balanced batches.
    scale : float, default=10.0
        Multiplies the cosines.
    learned : bool, default=True
        Train the scale.

    Notes
    -----
    The paper's attention has no scale: scale=1, learned=False. No item can then get more than e^2 times the
    attention of another, so the more support, the less a query can say.

    References
    ----------
    Vinyals, Blundell, Lillicrap, Kavukcuoglu, Wierstra, "Matching networks for one shot learning", NIPS 2016.
    """

    def __init__(self, shots: int = 5, ways: int | None = None, scale: float = 10.0, learned: bool = True) -> None:
        super().__init__(shots, ways, scale=scale, learned=learned)
        if not 0 < scale < math.inf:
            raise InputError(f"expected a scale above 0; got {scale}")
        self.log_scale = nn.Parameter(torch.tensor(math.log(scale)), requires_grad=learned)

    def scores(self, support: Tensor, labels: Tensor, query: Tensor, ways: int) -> Tensor:
        """The log probability of each class, (E, Q, ways)."""
        attention = (self.log_scale.exp() * cosines(query, support)).log_softmax(-1)
        others = memberships(labels, ways, attention).t() == 0
        return attention[..., None, :].masked_fill(others, -math.inf).logsumexp(-1)
