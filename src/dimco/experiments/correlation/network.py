"""The network of the correlation study: a backbone and a code head, for codes and for losses on embeddings alike."""

from __future__ import annotations

from typing import cast

from torch import Tensor, nn

from dimco.backbones import build_backbone
from dimco.backbones.preprocessing import Preprocessing
from dimco.baselines.metric import NPairLoss, TripletLoss, nearest_centroid_scores
from dimco.embedding_model import EmbeddingModel
from dimco.experiments.fewshot.job import FewShotJob
from dimco.experiments.fewshot.network import Built, build, scaled_protonet
from dimco.fewshot.accuracy import ScoreEpisodes
from dimco.heads import LinearHead


class CodeLogits(nn.Module):
    """A backbone and a code head whose logits, flattened, are the embedding (N, d * k)."""

    def __init__(self, backbone: nn.Module, head: LinearHead) -> None:
        super().__init__()
        self.backbone, self.head = backbone, head
        self.out_features = head.spec.k * head.spec.d

    def forward(self, x: Tensor) -> Tensor:
        logits: Tensor = self.head(self.backbone(x))
        return logits.flatten(1)


def build_correlation(job: FewShotJob, preprocessing: Preprocessing, classes: int) -> Built:
    """As `dimco.experiments.fewshot.network.build`, with a code head whatever the method; `score` is one-shot's."""
    if job.learns_codes:
        return build(job, preprocessing, classes)
    backbone = build_backbone(job.backbone, size=preprocessing.crop, preprocessing=preprocessing)
    network = CodeLogits(backbone, LinearHead(cast(int, backbone.out_features), job.spec))
    objective, score = _objective(job)
    return Built(EmbeddingModel(network), objective, score)


def _objective(job: FewShotJob) -> tuple[nn.Module, ScoreEpisodes]:
    """The loss of a method, and the similarity it trains: cosine, or minus the squared distance."""
    if job.method == "protonet":
        learner = scaled_protonet(job, job.k * job.d)
        return learner, learner.scores
    losses: dict[str, nn.Module] = {"triplet": TripletLoss(), "npair": NPairLoss(ways=job.classes)}
    return losses[job.method], nearest_centroid_scores
