"""Our objectives as losses of pytorch-metric-learning's kind."""

from __future__ import annotations

from typing import Any, cast

import torch
from torch import Tensor, nn

from dimco.errors import InputError
from dimco.heads import CodeHead
from dimco.objectives import Objective
from dimco.randomness import seeded
from dimco.spec import CodeSpec


class AsMetricLoss(nn.Module):
    """Call an objective as pytorch-metric-learning's trainers call a loss: `loss(embeddings, labels)`.

    Parameters
    ----------
    objective : nn.Module
        `Infomax`, `DecoderInfomax` or another with their `forward`.
    code : CodeSpec or CodeHead
        A spec: embeddings have width d * k and are the logits, position after position. A head: it makes the logits
        of the embeddings, and is trained by the optimizer that is given this loss's parameters.
    seed : int, default=0
        Of the pairs and groups of positions that an objective draws.

    Notes
    -----
    Information is of a whole batch, not of pairs or triplets. So the library's miners have nothing to choose: an
    `indices_tuple` is refused. Reference embeddings count as more items of the batch.

    Examples
    --------
    >>> from dimco.objectives import Infomax
    >>> loss = AsMetricLoss(Infomax(), CodeSpec(k=4, d=2))
    >>> loss(torch.randn(6, 8), torch.tensor([0, 0, 1, 1, 2, 2])).ndim
    0
    """

    def __init__(self, objective: nn.Module, code: CodeSpec | CodeHead, seed: int = 0) -> None:
        super().__init__()
        if not isinstance(code, (CodeSpec, CodeHead)):
            raise InputError(f"expected a CodeSpec or a code head; got {type(code).__name__}")
        self.objective = objective
        self.head = code if isinstance(code, CodeHead) else None
        self.spec = code.spec if isinstance(code, CodeHead) else code
        with seeded(seed, "metric loss") as drawn:
            self._drawn = drawn

    def forward(
        self,
        embeddings: Tensor,
        labels: Tensor | None = None,
        indices_tuple: Any = None,
        ref_emb: Tensor | None = None,
        ref_labels: Tensor | None = None,
    ) -> Tensor:
        if indices_tuple is not None:
            raise InputError("expected no indices_tuple: information is of the whole batch; use no miner")
        if labels is None:
            raise InputError("expected a label for every embedding; got none")
        if (ref_emb is None) != (ref_labels is None):
            raise InputError("expected ref_emb and ref_labels together; got one of them")
        labels = labels.to(embeddings.device)
        if ref_emb is not None and ref_labels is not None:
            embeddings = torch.cat([embeddings, ref_emb])
            labels = torch.cat([labels, ref_labels.to(labels)])
        total: Tensor = cast(Objective, self.objective)(self._logits(embeddings), labels, self._drawn).total
        return total

    def _logits(self, embeddings: Tensor) -> Tensor:
        width = self.spec.d * self.spec.k if self.head is None else self.head.features
        if embeddings.ndim != 2 or embeddings.shape[1] != width:
            raise InputError(f"expected embeddings of shape (N, {width}); got {tuple(embeddings.shape)}")
        if self.head is not None:
            logits: Tensor = self.head(embeddings)
            return logits
        return embeddings.view(-1, self.spec.d, self.spec.k)
