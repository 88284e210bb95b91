"""Prototypical networks."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from dimco.baselines.episodic.base import EpisodicLearner, class_means
from dimco.baselines.metric.distances import squared_distances
from dimco.errors import InputError


class ProtoNet(EpisodicLearner):
    """Prototypical networks: the squared Euclidean distance to the mean of each class's support.

    Parameters
    ----------
    shots : int, default=5
        Items of each class of a training batch that are its support.
    ways : int, optional
        Classes of a training batch; `dimco.training.train` tells it where it makes balanced batches.
    temperature : float, default=1.0
        Divides the distances; 1 is the paper's.
    learned : bool, default=False
        Train the temperature.

    References
    ----------
    Snell, Swersky, Zemel, "Prototypical networks for few-shot learning", NIPS 2017.
    """

    def __init__(
        self, shots: int = 5, ways: int | None = None, temperature: float = 1.0, learned: bool = False
    ) -> None:
        super().__init__(shots, ways, temperature=temperature, learned=learned)
        if not 0 < temperature < math.inf:
            raise InputError(f"expected a temperature above 0; got {temperature}")
        self.log_temperature = nn.Parameter(torch.tensor(math.log(temperature)), requires_grad=learned)

    def scores(self, support: Tensor, labels: Tensor, query: Tensor, ways: int) -> Tensor:
        """Minus the squared distances to the class means, over the temperature, (E, Q, ways)."""
        means = class_means(support, labels, ways)
        return -squared_distances(query, means) / self.log_temperature.exp()
