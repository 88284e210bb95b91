"""How a distance head begins: with the features of a classifier of the training classes, quantized.

A trained classifier is kept in a file, so that codes of several sizes begin with the same one.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor

from dimco.baselines.metric import CrossEntropy, nearest_centroid_scores
from dimco.code_heads.distance import DistanceHead
from dimco.datasets.image_set import ImageSet
from dimco.embedding_model import EmbeddingModel
from dimco.experiments.fewshot.job import FewShotJob
from dimco.experiments.fewshot.network import Built
from dimco.experiments.fewshot.outputs import all_outputs
from dimco.experiments.fewshot.rule_objective import RuleObjective
from dimco.experiments.fewshot.settings import settings_of
from dimco.experiments.fewshot.train import Trained
from dimco.model import CodeModel
from dimco.randomness import generator

Train = Callable[[FewShotJob, Built], Trained]

_METHOD = "cross-entropy"
_SCALED_BY = 512
_STARTS = ((1.0, 0.0), (1.0, 0.5), (0.5, 0.0), (0.5, 0.5))


def classifier_job(job: FewShotJob, classes: int) -> FewShotJob:
    """The training of the classifier that a job begins with; its batches hold no more classes than there are."""
    settings = settings_of(_METHOD, job.backbone)
    ways = min(settings["classes"], classes)
    return FewShotJob(
        dataset=job.dataset,
        backbone=job.backbone,
        method=_METHOD,
        seed=job.seed,
        steps=job.classifier_steps,
        validations=job.validations,
        **{**settings, "classes": ways, "items": settings["classes"] * settings["items"] // ways},
    )


def classifier_file(job: FewShotJob, models: Path | None) -> Path | None:
    """Where a classifier is kept; None for other jobs, and where none is to be kept."""
    if models is None or job.method != _METHOD:
        return None
    return models / f"{job.dataset}-{job.backbone}-{job.steps}-{job.seed}.safetensors"


def keep(network: EmbeddingModel, path: Path | None) -> None:
    """Write the network to the file, if there is to be one."""
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        network.save(path)


def begin_with_classifier(
    job: FewShotJob, built: Built, classes: int, train: Train, path: Path | None
) -> dict[str, Any]:
    """Give a network the backbone of a classifier, from its file, or trained here and kept there; how it was trained.

    Parameters
    ----------
    job : FewShotJob
        Of "dimco-distance".
    built : Built
    classes : int
        Of the training images.
    train : callable
        Trains the network of a job in place.
    path : Path or None
        Of the file.
    """
    backbone, first = built.network.backbone, classifier_job(job, classes)
    if path is not None and path.exists():
        backbone.load_state_dict(EmbeddingModel.load(path).backbone.state_dict())
        return {"job": first.as_record()}
    network = EmbeddingModel(backbone)
    trained = train(first, Built(network, CrossEntropy(network.width, classes), nearest_centroid_scores))
    keep(network, path)
    return {"job": first.as_record(), "steps": trained.steps, "training_seconds": round(trained.seconds, 2)}


def begin_with_features(
    built: Built, images: ImageSet, device: torch.device, look: Callable[[], float]
) -> list[dict[str, float]]:
    """Make the head OPQ of the features of the training images, and set the temperature of the objective.

    Of the ways to treat the features before, the one that does best on validation classes, by `look`, is taken; the
    values of all are given.
    """
    network = cast(CodeModel, built.network)
    x = _features(built, images, device)
    width = cast(DistanceHead, network.head).projection.out_features
    heads, tried = [], []
    for power, whitening in _STARTS:
        options: dict[str, Any] = {"normalized": True, "power": power, "whitening": whitening}
        network.head = DistanceHead.from_features(x, network.spec, width, **options)
        network.to(device)
        heads.append(network.head)
        tried.append({"power": power, "whitening": whitening, "value": round(look(), 3)})
    network.head = heads[max(range(len(tried)), key=lambda place: tried[place]["value"])]
    some = generator(0, "scale").choice(len(x), min(_SCALED_BY, len(x)), replace=False)
    with torch.no_grad():
        logits = network.head(x[torch.from_numpy(some).to(device)])
        cast(RuleObjective, built.objective.to(device)).scale_to(logits)
    return tried


def requantize_if_better(
    built: Built, images: ImageSet, device: torch.device, trained: Trained, look: Callable[[], float]
) -> None:
    """Place the centroids where OPQ of the features as they are now has them, unless validation classes lose by it."""
    head = cast(DistanceHead, built.network.head)
    before = {name: tensor.clone() for name, tensor in head.state_dict().items()}
    head.quantize(_features(built, images, device))
    found = {"step": trained.steps, "value": round(look(), 3), "requantized": True}
    trained.looks.append(found)
    if trained.best is None or found["value"] > trained.best["value"]:
        trained.best = found
    else:
        head.load_state_dict(before)


def _features(built: Built, images: ImageSet, device: torch.device) -> Tensor:
    return all_outputs(built.network.backbone.to(device), images.pixels, device).clone()
