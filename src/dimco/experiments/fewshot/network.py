"""From a job to its network, its objective, and the way its embeddings score a class."""

from __future__ import annotations

from typing import NamedTuple, cast

from torch import nn

from dimco.backbones import build_backbone
from dimco.backbones.preprocessing import Preprocessing
from dimco.baselines.episodic import R2D2, EpisodicLearner, MatchingNet, ProtoNet, RelationNet
from dimco.baselines.metric import CrossEntropy, NPairLoss, TripletLoss, nearest_centroid_scores
from dimco.embedding_model import EmbeddingModel
from dimco.experiments.fewshot.job import FewShotJob
from dimco.experiments.fewshot.objective import FewShotObjective
from dimco.experiments.fewshot.rule_objective import RuleObjective
from dimco.fewshot.accuracy import ScoreEpisodes
from dimco.heads import CodeHead, DistanceHead, LinearHead
from dimco.model import CodeModel

_HEAD_WIDTH = 128
_CONV4_CHANNELS, _MOST_DISTANCES, _FEATURES_A_DEGREE = 64, 640, 16


class Built(NamedTuple):
    """What a job trains, and how it is tested: `score` is None for codes, which have rules of their own."""

    network: CodeModel | EmbeddingModel
    objective: nn.Module
    score: ScoreEpisodes | None


def build(job: FewShotJob, preprocessing: Preprocessing, classes: int) -> Built:
    """The network and the objective of a job, with weights drawn from torch's global state.

    Parameters
    ----------
    job : FewShotJob
    preprocessing : Preprocessing
        Of the training images; its `crop` is their side.
    classes : int
        Of the training images.
    """
    backbone = build_backbone(job.backbone, size=preprocessing.crop, preprocessing=preprocessing)
    features = cast(int, backbone.out_features)
    if job.learns_codes:
        return Built(CodeModel(backbone, _head(job, features)), _code_objective(job, classes), None)
    network = EmbeddingModel(backbone, width=job.width or None)
    objective, score = _embedding_objective(job, job.width or features, classes)
    return Built(network, objective, score)


def _head(job: FewShotJob, features: int) -> CodeHead:
    """The paper's layer, or distances on the sphere, in whole numbers a position that the features can fill."""
    if job.method != "dimco-distance":
        return LinearHead(features, job.spec, hidden=job.width or _HEAD_WIDTH)
    width = job.width or max(job.d, min(features, _MOST_DISTANCES) // job.d * job.d)
    return DistanceHead(features, job.spec, hidden=width, normalized=True)


def _code_objective(job: FewShotJob, classes: int) -> nn.Module:
    if job.method == "dimco-distance":
        return RuleObjective(job.spec, job.shots, job.classes, job.information)
    weights = {"dimco-infomax": (1.0, 0.0), "dimco-decoder": (0.0, 1.0), "dimco-both": (1.0, job.decoder)}
    infomax, decoder = weights[job.method]
    return FewShotObjective(
        job.spec,
        classes,
        infomax,
        decoder,
        independence=job.independence,
        sharpness=job.sharpness,
        temperature=job.temperature,
        label_smoothing=job.label_smoothing,
    )


def _embedding_objective(job: FewShotJob, features: int, classes: int) -> tuple[nn.Module, ScoreEpisodes]:
    if job.method == "relationnet":
        learner: EpisodicLearner = RelationNet(_maps(job, features), shots=job.shots, ways=job.classes)
        return learner, learner.scores
    if job.method == "protonet":
        learner = scaled_protonet(job, features)
        return learner, learner.scores
    episodic: dict[str, type[EpisodicLearner]] = {"matchingnet": MatchingNet, "r2d2": R2D2}
    if job.method in episodic:
        learner = episodic[job.method](shots=job.shots, ways=job.classes)
        return learner, learner.scores
    losses: dict[str, nn.Module] = {
        "cross-entropy": CrossEntropy(features, classes),
        "npair": NPairLoss(ways=job.classes),
        "triplet": TripletLoss(),
    }
    return losses[job.method], nearest_centroid_scores


def scaled_protonet(job: FewShotJob, features: int) -> ProtoNet:
    """With distances over a sixteenth of the features, whose sum they are; validation classes gain by it."""
    return ProtoNet(shots=job.shots, ways=job.classes, temperature=max(1.0, features / _FEATURES_A_DEGREE))


def _maps(job: FewShotJob, features: int) -> int | tuple[int, int, int]:
    """What RelationNet relates: Conv4's last maps as they are, else flat embeddings."""
    if job.backbone != "conv4" or job.width:
        return features
    side = round((features / _CONV4_CHANNELS) ** 0.5)
    return _CONV4_CHANNELS, side, side
