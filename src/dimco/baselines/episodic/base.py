"""What every episodic learner is: scores of queries by a support, trained on tasks cut from balanced batches."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from dimco.baselines.metric.balanced import BalancedObjective, by_class
from dimco.baselines.metric.output import MetricOutput, checked_batch
from dimco.errors import InputError


class EpisodicLearner(BalancedObjective, ABC):
    """An objective that turns each balanced batch into one task, and scores tasks in the same way after training.

    Parameters
    ----------
    shots : int, default=5
        The first `shots` items of each class are the support, the others the queries; batches are drawn at random.
    ways : int, optional
        Classes of a training batch; `dimco.training.train` tells it where it makes balanced batches.
    """

    def __init__(self, shots: int = 5, ways: int | None = None, **options: Any) -> None:
        super().__init__(ways, shots=shots, **options)
        if shots < 1:
            raise InputError(f"expected at least 1 shot; got {shots}")
        self.shots = shots

    def forward(self, embeddings: Tensor, labels: Tensor, generator: torch.Generator | None = None) -> MetricOutput:
        items = by_class(checked_batch(embeddings, labels), labels, self.ways)
        ways, items_a_class = items.shape[:2]
        if items_a_class <= self.shots:
            raise InputError(f"expected more than {self.shots} items of each class, for queries; got {items_a_class}")
        support, query = items[:, : self.shots], items[:, self.shots :]
        classes = torch.arange(ways, device=items.device)[:, None]
        truth = classes.expand(query.shape[:2]).reshape(-1)
        known = classes.expand(support.shape[:2]).reshape(-1)
        scores = self.scores(support.flatten(0, 1)[None], known, query.flatten(0, 1)[None], ways)
        return MetricOutput(self.loss(scores[0], truth))

    @abstractmethod
    def scores(self, support: Tensor, labels: Tensor, query: Tensor, ways: int) -> Tensor:
        """The score of each class for each query, (E, Q, ways); higher is likelier.

        Parameters
        ----------
        support : Tensor of shape (E, S, F)
            Embeddings of the support of E tasks.
        labels : Tensor of shape (S,), int64
            The class of each item of the support, 0 to ways - 1, the same in every task.
        query : Tensor of shape (E, Q, F)
        ways : int
        """

    def loss(self, scores: Tensor, truth: Tensor) -> Tensor:
        """The loss of a task from the scores of its queries (Q, ways) and their classes (Q,)."""
        return F.cross_entropy(scores, truth)


def memberships(labels: Tensor, ways: int, like: Tensor) -> Tensor:
    """1 where an item is of a class, else 0, (S, ways), in the type and on the device of `like`."""
    return (labels[:, None] == torch.arange(ways, device=labels.device)).to(like)


def class_means(support: Tensor, labels: Tensor, ways: int) -> Tensor:
    """The mean of the support of each class, (E, ways, F)."""
    members = memberships(labels, ways, support)
    return (members / members.sum(0)).t() @ support
