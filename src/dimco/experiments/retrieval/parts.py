"""What is trained on top of the backbone: embeddings with a metric loss, or codes with theirs."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

from dimco.baselines.metric import ProxyAnchor
from dimco.baselines.metric.retrieval_losses import build
from dimco.code_heads.distance import DistanceHead
from dimco.code_heads.linear import LinearHead
from dimco.experiments.retrieval.job import RetrievalJob
from dimco.objectives import DecoderInfomax, Infomax
from dimco.spec import CodeSpec

_NUMBERS_A_POSITION = 8


class Parts(NamedTuple):
    """The terms of a part's loss; `total` is minimised."""

    total: Tensor
    metric: Tensor
    decoded: Tensor
    information: Tensor


class EmbeddingPart(nn.Module):
    """A linear layer and a metric loss of its outputs."""

    head: Any = None
    spec: CodeSpec | None = None

    def __init__(self, job: RetrievalJob, features: int, classes: int) -> None:
        super().__init__()
        self.layer = nn.Linear(features, job.width)
        nn.init.kaiming_normal_(self.layer.weight, mode="fan_out")
        nn.init.zeros_(self.layer.bias)
        found = build(job.method, classes, job.width)
        self.proxies, self.normalized = found.loss, found.normalized
        self.name = f"floats-{job.width}"

    def loss(self, features: Tensor, labels: Tensor, generator: torch.Generator) -> Parts:
        total: Tensor = self.proxies(self.layer(features), labels, generator).total
        none = total.new_zeros(())
        return Parts(total, total.detach(), none, none)

    def embed(self, features: Tensor) -> Tensor:
        embeddings: Tensor = self.layer(features)
        return F.normalize(embeddings, dim=1) if self.normalized else embeddings


class CodePart(nn.Module):
    """A code head; its objective; and Proxy-Anchor on z, and with the same proxies on what the code stands for."""

    head: Any

    def __init__(self, job: RetrievalJob, spec: CodeSpec, head: nn.Module, width: int, classes: int) -> None:
        super().__init__()
        self.job, self.spec, self.head, self.name = job, spec, head, str(spec)
        self.proxies = ProxyAnchor(classes, width)
        self.objective: nn.Module = (
            Infomax(independence=job.independence) if job.method == "dimco-infomax" else DecoderInfomax(spec, classes)
        )

    def loss(self, features: Tensor, labels: Tensor, generator: torch.Generator) -> Parts:
        z = self._embedding(features)
        logits = self._logits(z)
        metric = self.proxies(z, labels).total
        decoded = distortion = metric.new_zeros(())
        if isinstance(self.head, DistanceHead):
            stored = self.head.decode(logits.argmax(-1))
            decoded = self.proxies(z + (stored - z).detach(), labels).total
            distortion = self._distortion(mixtures(z.detach(), generator, self.job.mixtures))
        found = self.objective(logits, labels, generator)
        job, positions = self.job, self.spec.d
        information = found.total / positions if job.method == "dimco-infomax" else found.total
        total = job.metric * metric + job.decoded * decoded + job.information * information + distortion / positions
        return Parts(total, metric.detach(), decoded.detach(), found.information.detach())

    def _distortion(self, z: Tensor) -> Tensor:
        """beta ||z - centroids||^2 with gradients of the centroids alone: they stay where the z are."""
        stored = self.head.decode(self.head.logits(z).detach().argmax(-1))
        total: Tensor = self.head.log_beta.detach().exp() * (z - stored).square().sum(1).mean()
        return total

    @torch.no_grad()
    def start_proxies(self, features: Tensor, labels: Tensor) -> None:
        """Each class's proxy as the mean of its items' z."""
        z = self._embedding(features)
        sums = torch.zeros_like(self.proxies.proxies).index_add_(0, labels, z)
        self.proxies.proxies.copy_(sums / torch.bincount(labels, minlength=len(sums)).clamp(min=1)[:, None])

    @torch.no_grad()
    def refit(self, features: Tensor, generator: torch.Generator) -> None:
        """Place centroids anew by OPQ of the features' z, and turn the proxies with them."""
        if isinstance(self.head, DistanceHead):
            z = mixtures(self.head.embed(features), generator, self.job.mixtures)
            rotation = self.head.fit_centroids(z, seed=self.job.seed)
            self.proxies.proxies.copy_(self.proxies.proxies @ rotation)

    def embed(self, features: Tensor) -> Tensor:
        return F.normalize(self._embedding(features), dim=1)

    def logits(self, features: Tensor) -> Tensor:
        return self._logits(self._embedding(features))

    def _embedding(self, features: Tensor) -> Tensor:
        z: Tensor = self.head.embed(features) if isinstance(self.head, DistanceHead) else self.head.layers[0](features)
        return z

    def _logits(self, z: Tensor) -> Tensor:
        if isinstance(self.head, DistanceHead):
            return self.head.logits(z)
        logits: Tensor = self.head.layers[1](z)
        return logits.view(-1, self.spec.d, self.spec.k)


def mixtures(z: Tensor, generator: torch.Generator, times: int) -> Tensor:
    """The rows of z and, `times` as many, rows between two of them, of the same length: (N (1 + times), width).

    What is learned from classes lies near their means; unseen classes lie between them, and centroids should, too.
    """
    n = len(z)
    between = []
    for _ in range(times):
        other = torch.randperm(n, generator=generator).to(z.device)
        share = torch.rand(n, 1, generator=generator).to(z.device)
        mixed = share * z + (1 - share) * z[other]
        between.append(F.normalize(mixed, dim=1) * z.norm(dim=1, keepdim=True))
    return torch.cat([z, *between])


def build_parts(job: RetrievalJob, features: Tensor, labels: Tensor, power: float = 1.0) -> nn.ModuleList:
    """The parts of a job, distance heads as OPQ of a power of the features of training items, on their device."""
    classes = int(labels.max()) + 1
    width = features.shape[1]
    if not job.ours:
        return nn.ModuleList([EmbeddingPart(job, width, classes)]).to(features.device)
    parts = []
    for spec in job.specs:
        head: nn.Module
        if job.head == "distance":
            hidden = min(job.hidden, _NUMBERS_A_POSITION * spec.d, width)
            head = DistanceHead.from_features(
                features, spec, hidden, normalized=True, power=power, whitening=job.whitening, seed=job.seed
            )
            hidden = head.projection.out_features
        else:
            head, hidden = LinearHead(width, spec), 128
        part = CodePart(job, spec, head, hidden, classes).to(features.device)
        part.start_proxies(features, labels)
        parts.append(part)
    return nn.ModuleList(parts)
