"""A loss of pytorch-metric-learning as an objective of our training loop."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from dimco.baselines.metric.output import MetricOutput, checked_batch
from dimco.errors import InputError


class FromMetricLearning(nn.Module):
    """Train an `EmbeddingModel` with a loss of pytorch-metric-learning, and a miner of it.

    Parameters
    ----------
    loss : nn.Module
        Called as loss(embeddings, labels, indices_tuple). Its parameters, such as proxies, are trained with the
        model; what it adds up over its parts is the loss.
    miner : nn.Module, optional
        Called as miner(embeddings, labels), without gradients, for the indices_tuple.

    Examples
    --------
    >>> from pytorch_metric_learning import losses, miners
    >>> objective = FromMetricLearning(losses.TripletMarginLoss(), miners.TripletMarginMiner())
    >>> loss = objective(torch.eye(4), torch.tensor([0, 0, 1, 1])).total
    """

    def __init__(self, loss: nn.Module, miner: nn.Module | None = None) -> None:
        super().__init__()
        for role, module in (("loss", loss), ("miner", miner)):
            if module is not None and not isinstance(module, nn.Module):
                raise InputError(f"expected the {role} as a module; got {type(module).__name__}")
        self.loss, self.miner = loss, miner
        self.config = {
            "loss": type(loss).__name__,
            "miner": None if miner is None else type(miner).__name__,
        }

    def forward(self, embeddings: Tensor, labels: Tensor, generator: torch.Generator | None = None) -> MetricOutput:
        embeddings = checked_batch(embeddings, labels)
        mined = None
        if self.miner is not None:
            with torch.no_grad():
                mined = self.miner(embeddings, labels)
        return MetricOutput(self.loss(embeddings, labels, mined))
