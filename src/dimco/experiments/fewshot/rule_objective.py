"""Codes trained on tasks by the rule that will classify with them."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from dimco.baselines.episodic.base import EpisodicLearner, class_means
from dimco.baselines.metric.balanced import by_class
from dimco.experiments.fewshot.objective import CodeLoss
from dimco.information import entropy
from dimco.objectives import straight_through
from dimco.spec import CodeSpec


class RuleObjective(EpisodicLearner):
    """Cross-entropy of a task's queries by eq. 8, less the information of the code, averaged over positions.

    A class scores the mean of sum_i log p_i[c_i] over the stored codes c of its support, over a temperature that is
    trained. Codes are hard, with a straight-through gradient.

    Parameters
    ----------
    spec : CodeSpec
    shots : int
        The first items of each class of a batch are the support, the others queries.
    ways : int, optional
        Classes of a training batch.
    information : float, default=0.0
        Weight of I(X; Y) / d (eq. 7).

    Attributes
    ----------
    log_temperature : Tensor of shape ()
    """

    def __init__(self, spec: CodeSpec, shots: int, ways: int | None = None, information: float = 0.0) -> None:
        super().__init__(shots, ways, information=information)
        self.spec, self.information = spec, information
        self.log_temperature = nn.Parameter(torch.zeros(()))

    def forward(self, logits: Tensor, labels: Tensor, generator: torch.Generator | None = None) -> CodeLoss:  # type: ignore[override]
        logits = logits.float()
        tasks = super().forward(logits.flatten(1), labels, generator).total
        p = by_class(logits.softmax(-1).flatten(1), labels, self.ways).unflatten(-1, (self.spec.d, self.spec.k))
        of_classes = p.mean(1)
        information = (entropy(of_classes.mean(0)) - entropy(of_classes).mean(0)).sum()
        total = tasks - self.information * information / self.spec.d
        return CodeLoss(total, information, information.new_zeros(()), tasks)

    def scores(self, support: Tensor, labels: Tensor, query: Tensor, ways: int) -> Tensor:
        """As `EpisodicLearner.scores`, of logits, flattened: F = d * k."""
        shape = (self.spec.d, self.spec.k)
        stored = straight_through(support.unflatten(-1, shape).softmax(-1)).flatten(-2)
        asked = F.log_softmax(query.unflatten(-1, shape), -1).flatten(-2)
        return asked @ class_means(stored, labels, ways).transpose(-1, -2) / self.log_temperature.exp()

    @torch.no_grad()
    def scale_to(self, logits: Tensor) -> None:
        """Set the temperature so that the scores of items by one another's codes spread by 2 around their mean."""
        self.log_temperature.zero_()
        items = torch.arange(len(logits), device=logits.device)
        flat = logits.float().flatten(1)[None]
        spread = self.scores(flat, items, flat, len(logits))[0].std()
        self.log_temperature.copy_((spread / 2).clamp_min(1e-6).log())
