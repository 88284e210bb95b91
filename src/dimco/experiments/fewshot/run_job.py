"""One job from beginning to end: train, choose on validation classes, measure on test classes."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import torch

from dimco.datasets.image_set import ImageSet
from dimco.embedding_model import EmbeddingModel
from dimco.experiments.fewshot.classifier import METHOD, Classifiers, begin_with_features, requantize_if_better
from dimco.experiments.fewshot.data import few_of_each, load_parts, repeated, training_preprocessing
from dimco.experiments.fewshot.gpu import BusyMeter
from dimco.experiments.fewshot.job import FewShotJob
from dimco.experiments.fewshot.measure import (
    Protocol,
    chosen_rules,
    code_records,
    embedding_accuracy,
    embedding_records,
    few_shot_episodes,
    mean_validation,
    quick_accuracy,
    quick_code_accuracy,
)
from dimco.experiments.fewshot.network import Built, build
from dimco.experiments.fewshot.outputs import all_outputs
from dimco.experiments.fewshot.train import Trained, train_job
from dimco.fewshot.rules import Rule
from dimco.randomness import seeded

_LOOK_EPISODES = 100
_SHORTEST_EPOCH = 100


def run_job(
    job: FewShotJob,
    root: Path | None,
    device: torch.device,
    protocol: Protocol | None = None,
    deadline: float | None = None,
    models: Path | None = None,
) -> dict[str, Any]:
    """The record of a job: its settings, how it trained, and its accuracies.

    Parameters
    ----------
    job : FewShotJob
    root : Path or None
        Where the data sets are.
    device : torch.device
    protocol : Protocol, optional
    deadline : float, optional
        On `time.monotonic`'s clock: training ends early then, and what was best is measured.
    models : Path, optional
        Folder of trained classifiers, to begin with where they are there, and to keep new ones in.
    """
    start = time.perf_counter()
    protocol = protocol or Protocol()
    parts = load_parts(job.dataset, root)
    classes = len(parts["train"].classes)
    few = few_of_each(parts["train"], job.images_a_class, job.seed)
    images = repeated(few, _SHORTEST_EPOCH * job.batch_size) if job.items == 1 else few

    def built_for(one: FewShotJob) -> Built:
        with seeded(one.seed, "weights"):
            return build(one.fitting(classes), training_preprocessing(one.dataset, root), classes)

    built = built_for(job)
    tasks = few_shot_episodes(parts["val"].labels, min(_LOOK_EPISODES, protocol.validation))
    meter = BusyMeter(device)

    def look(one: FewShotJob, network: Built) -> float:
        meter.stop()
        outputs = _outputs(one, network, parts["val"], device, half=True)
        if network.score is None:
            return quick_code_accuracy(outputs, tasks)
        return quick_accuracy(outputs, network.score, tasks)

    def train(one: FewShotJob, network: Built) -> Trained:
        try:
            fitting = one.fitting(classes)
            return train_job(
                fitting, network, images, device, lambda _: look(one, network), lambda _: meter.start(), deadline
            )
        finally:
            meter.stop()

    classifiers = Classifiers(built_for, train, models)
    if job.classifier_steps:
        begun = classifiers.begin(job, built)
        begun["starts"] = begin_with_features(built, images, device, lambda: look(job, built))
    trained = classifiers.train(job, built) if job.method == METHOD else train(job, built)
    if job.classifier_steps:
        requantize_if_better(built, images, device, trained, lambda: look(job, built))
    accuracies = [] if job.experiment == "throughput" else _accuracies(job, built, parts, device, protocol)
    return {
        "job": job.as_record(),
        "bits": 32 * built.network.width if isinstance(built.network, EmbeddingModel) else job.spec.bits,
        "accuracies": accuracies,
        "validation": round(mean_validation(accuracies), 3) if accuracies else None,
        "looks": trained.looks,
        "best_step": trained.best["step"] if trained.best else None,
        "steps": trained.steps,
        "complete": trained.steps == trained.asked,
        "training_seconds": round(trained.seconds, 2),
        "images_per_second": round(trained.steps_a_second * job.batch_size),
        "gpu_busy_percent": meter.percent,
        "not_captured": trained.not_captured,
        **({"classifier": begun} if job.classifier_steps else {}),
        "seconds": round(time.perf_counter() - start, 2),
    }


def _accuracies(
    job: FewShotJob, built: Built, parts: dict[str, ImageSet], device: torch.device, protocol: Protocol
) -> list[dict[str, Any]]:
    """Records of the test classes; of a pilot, of the validation classes."""
    known = few_shot_episodes(parts["val"].labels, protocol.validation)
    outputs = _outputs(job, built, parts["val"], device)
    tasks = known if job.experiment == "pilot" else few_shot_episodes(parts["test"].labels, protocol.test)
    if built.score is None:
        rules = [Rule("nearest")] if job.experiment == "small-train" else None
        chosen = chosen_rules(outputs, known, rules)
        if job.experiment != "pilot":
            outputs = _outputs(job, built, parts["test"], device)
        return code_records(outputs, tasks, chosen)
    validation = {shots: embedding_accuracy(outputs, built.score, episodes).mean for shots, episodes in known.items()}
    if job.experiment != "pilot":
        outputs = _outputs(job, built, parts["test"], device)
    return embedding_records(outputs, built.score, tasks, validation)


def _outputs(job: FewShotJob, built: Built, images: ImageSet, device: torch.device, half: bool = False) -> torch.Tensor:
    sharpness = job.sharpness if job.learns_codes else None
    built.objective.eval()
    return all_outputs(built.network, images.pixels, device, sharpness, half)
