"""How a distance head begins: with the features of a classifier of the training classes, quantized."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor

from dimco.baselines.metric import CrossEntropy
from dimco.code_heads.distance import DistanceHead
from dimco.datasets.image_set import ImageSet
from dimco.embedding_model import EmbeddingModel
from dimco.experiments.fewshot.distilled import DistilledCrossEntropy, TaughtBackbone
from dimco.experiments.fewshot.job import FewShotJob
from dimco.experiments.fewshot.network import Built
from dimco.experiments.fewshot.outputs import all_outputs
from dimco.experiments.fewshot.rule_objective import RuleObjective
from dimco.experiments.fewshot.settings import settings_of
from dimco.experiments.fewshot.train import Trained
from dimco.model import CodeModel
from dimco.randomness import generator

Train = Callable[[FewShotJob, Built], Trained]

METHOD = "cross-entropy"
_SCALED_BY = 512
_STARTS = ((1.0, 0.0), (1.0, 0.5), (0.5, 0.0), (0.5, 0.5))


class Classifiers:
    """Networks trained to classify, each kept in a file, so that codes of several sizes begin with the same one.

    Parameters
    ----------
    build : callable
        From a job to its network and objective.
    train : callable
        Trains the network of a job in place.
    folder : Path or None
        Of the files; None keeps none.
    """

    def __init__(self, build: Callable[[FewShotJob], Built], train: Train, folder: Path | None) -> None:
        self._build, self._train, self._folder = build, train, folder

    def job_of(self, job: FewShotJob) -> FewShotJob:
        """The training of the classifier that a job begins with."""
        return FewShotJob(
            dataset=job.dataset,
            backbone=job.backbone,
            method=METHOD,
            seed=job.seed,
            steps=job.classifier_steps,
            generations=job.generations,
            validations=job.validations,
            **settings_of(METHOD, job.backbone),
        )

    def begin(self, job: FewShotJob, built: Built) -> dict[str, Any]:
        """Give a network the backbone of the classifier that its job begins with; what there is to say of that."""
        first = self.job_of(job)
        built.network.backbone.load_state_dict(self.of(first).backbone.state_dict())
        return {"job": first.as_record()}

    def of(self, job: FewShotJob) -> EmbeddingModel:
        """The network of a classifier, whose embeddings are class scores: from its file, or trained now."""
        path = self._file(job)
        if path is not None and path.exists():
            return EmbeddingModel.load(path)
        built = self._build(job)
        self.train(job, built)
        return _scoring(built)

    def train(self, job: FewShotJob, built: Built) -> Trained:
        """Train a classifier in place, later generations with the one before as teacher, and keep it if whole."""
        if job.generations > 1:
            teacher = self.of(replace(job, generations=job.generations - 1))
            network = EmbeddingModel(TaughtBackbone(built.network.backbone, teacher))
            objective = DistilledCrossEntropy(cast(CrossEntropy, built.objective))
            trained = self._train(job, Built(network, objective, built.score))
        else:
            trained = self._train(job, built)
        path = self._file(job)
        if path is not None and trained.steps == trained.asked:
            path.parent.mkdir(parents=True, exist_ok=True)
            _scoring(built).save(path)
        return trained

    def _file(self, job: FewShotJob) -> Path | None:
        name = "-".join(map(str, (job.dataset, job.backbone, job.steps, job.generations, job.seed)))
        return None if self._folder is None else self._folder / f"{Path(name).name}.safetensors"


def _scoring(built: Built) -> EmbeddingModel:
    """A network that ends in the linear classifier it was trained with."""
    linear = cast(CrossEntropy, built.objective).linear
    network = EmbeddingModel(built.network.backbone, width=linear.out_features).to(linear.weight.device)
    network.head.load_state_dict(linear.state_dict())
    return network


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
