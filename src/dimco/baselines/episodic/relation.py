"""Relation networks."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from dimco.baselines.episodic.base import EpisodicLearner, class_means
from dimco.errors import InputError

_NUMBERS_AT_ONCE = 1 << 25


class RelationNet(EpisodicLearner):
    """Relation networks: a learned network that says of a class and a query how much they belong together.

    Parameters
    ----------
    features : int or (channels, height, width)
        What an embedding is. Three numbers: feature maps, flattened. They are related as in the paper, by two
        blocks of [3x3 convolution, batch norm, ReLU, max-pool] and two linear layers; a side of 1 is pooled no
        further. One number: a flat vector, related by two linear layers alone.
    shots : int, default=5
        Items of each class of a training batch that are its support.
    ways : int, optional
        Classes of a training batch; `dimco.training.train` tells it where it makes balanced batches.
    width : int, default=64
        Channels of the convolutions, or outputs of the first linear layer.

    Notes
    -----
    A class is the mean of its support, where the paper takes the sum: so one network serves any number of shots.
    The first layer acts on a class and a query side by side; as it is linear, each half is computed once and the
    pairs are sums. The loss is the mean squared error to 1 for the true class and 0 for the others, as in the paper.

    References
    ----------
    Sung, Yang, Zhang, Xiang, Torr, Hospedales, "Learning to compare: relation network for few-shot learning",
    CVPR 2018.
    """

    def __init__(self, features: int | Sequence[int], shots: int = 5, ways: int | None = None, width: int = 64) -> None:
        super().__init__(shots, ways, features=features if isinstance(features, int) else list(features), width=width)
        self.shape = (features,) if isinstance(features, int) else tuple(features)
        if len(self.shape) not in (1, 3) or min(self.shape) < 1:
            raise InputError(f"expected a width, or channels, height and width, of feature maps; got {features}")
        self.of_class: nn.Module
        self.of_query: nn.Module
        if len(self.shape) == 1:
            self.of_class, self.of_query = nn.Linear(self.shape[0], width), nn.Linear(self.shape[0], width, bias=False)
            self.relation = nn.Sequential(nn.ReLU(), nn.Linear(width, 1))
        else:
            self.of_class, self.of_query = (_convolution(self.shape[0], width) for _ in range(2))
            self.relation = _relation_of_maps(width, *self.shape[1:])

    def scores(self, support: Tensor, labels: Tensor, query: Tensor, ways: int) -> Tensor:
        """The relation of each class and query before the sigmoid, (E, Q, ways)."""
        numbers = query.shape[1] * ways * query.shape[2]
        tasks = max(1, _NUMBERS_AT_ONCE // numbers)
        means = class_means(support, labels, ways)
        parts = zip(means.split(tasks), query.split(tasks), strict=True)
        return torch.cat([self._relations(some, asked) for some, asked in parts])

    def loss(self, scores: Tensor, truth: Tensor) -> Tensor:
        target = F.one_hot(truth, scores.shape[-1]).to(scores)
        return F.mse_loss(scores.sigmoid(), target)

    def _relations(self, classes: Tensor, query: Tensor) -> Tensor:
        left = self.of_class(classes.reshape(-1, *self.shape)).unflatten(0, (len(classes), 1, -1))
        right = self.of_query(query.reshape(-1, *self.shape)).unflatten(0, (len(query), -1, 1))
        pairs = left + right
        related: Tensor = self.relation(pairs.flatten(0, 2))
        return related.view(pairs.shape[:3])


def _convolution(channels: int, width: int) -> nn.Conv2d:
    return nn.Conv2d(channels, width, 3, padding=1, bias=False)


def _relation_of_maps(width: int, height: int, breadth: int) -> nn.Sequential:
    """From the sum of a pair's first convolutions to their relation."""
    layers: list[nn.Module] = []
    for first in (True, False):
        layers += [] if first else [_convolution(width, width)]
        layers += [nn.BatchNorm2d(width), nn.ReLU()]
        pool = (min(2, height), min(2, breadth))
        layers.append(nn.MaxPool2d(pool))
        height, breadth = height // pool[0], breadth // pool[1]
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(width * height * breadth, 8), nn.ReLU(), nn.Linear(8, 1))
