"""Training a job's network, with looks at the validation classes on the way and the best state kept."""

from __future__ import annotations

import contextlib
import importlib.util
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor

from dimco.datasets.image_set import ImageSet
from dimco.errors import CaptureError, TrainingError
from dimco.experiments.fewshot.data import augmentation
from dimco.experiments.fewshot.job import FewShotJob
from dimco.experiments.fewshot.network import Built
from dimco.training import EpochRecord, TrainingConfig, train
from dimco.training.batches import steps_per_epoch
from dimco.training.pixel_data import PixelData

Look = Callable[[int], float]

_WORTH_COMPILING = 4_000


class _OutOfTimeError(Exception):
    """Raised inside training to end it early."""


@dataclass
class Trained:
    """How a training went.

    Attributes
    ----------
    steps : int
        Batches trained on.
    asked : int
        Batches that were to be trained on.
    seconds : float
        Of training alone, without the looks.
    first_epoch : float
        Of them, those of the first epoch, in which steps are compiled and recorded.
    steps_an_epoch : int
    looks : list of dict
        `step` and `value` of every look.
    best : dict or None
        The best of them.
    not_captured : str or None
        Why steps were not recorded as a CUDA graph though there was a GPU.
    """

    steps: int = 0
    asked: int = 0
    seconds: float = 0.0
    first_epoch: float = 0.0
    steps_an_epoch: int = 0
    looks: list[dict[str, Any]] = field(default_factory=list)
    best: dict[str, Any] | None = None
    not_captured: str | None = None

    @property
    def steps_a_second(self) -> float:
        """Without the first epoch, if there are others."""
        if self.steps > self.steps_an_epoch:
            return (self.steps - self.steps_an_epoch) / (self.seconds - self.first_epoch)
        return self.steps / self.seconds


def train_job(
    job: FewShotJob,
    built: Built,
    images: ImageSet,
    device: torch.device,
    look: Look | None = None,
    every_epoch: Callable[[int], None] | None = None,
    deadline: float | None = None,
) -> Trained:
    """Train in place, and leave the network on the device in the state that looked best.

    Parameters
    ----------
    job : FewShotJob
    built : Built
    images : ImageSet
        To train on.
    device : torch.device
    look : callable, optional
        From the number of steps done to the value by which states are compared; called `job.validations` times, and
        before the first step where the network has been trained already.
    every_epoch : callable, optional
        Called with the number of steps done after each epoch.
    deadline : float, optional
        On `time.monotonic`'s clock: no epoch begins after it.
    """
    steps = steps_per_epoch(len(images.labels), job.batch_size)
    epochs = max(1, round(job.steps / steps))
    last_of_look = {round(epochs * (n + 1) / job.validations) for n in range(job.validations)} - {0}
    done = Trained(asked=epochs * steps, steps_an_epoch=steps)
    kept: list[dict[str, Tensor]] = []

    def consider(seen: Look) -> None:
        found = {"step": done.steps, "value": round(seen(done.steps), 3)}
        if not math.isfinite(found["value"]):
            raise TrainingError(f"the accuracy on validation classes became {found['value']} after {done.steps} steps")
        done.looks.append(found)
        if done.best is None or found["value"] > done.best["value"]:
            done.best = found
            kept[:] = [_copy(built.network), _copy(built.objective)]

    def on_epoch(record: EpochRecord) -> None:
        done.steps += steps
        done.seconds += record.seconds
        done.first_epoch = done.first_epoch or record.seconds
        if every_epoch is not None:
            every_epoch(done.steps)
        out_of_time = deadline is not None and time.monotonic() > deadline
        if look is not None and (record.epoch in last_of_look or out_of_time):
            consider(look)
        if out_of_time:
            raise _OutOfTimeError

    if look is not None and job.classifier_steps:
        consider(look)
    data = PixelData(images.pixels, images.labels, augmentation(images))
    config = _config(job, epochs, device)
    with contextlib.suppress(_OutOfTimeError):
        try:
            train(built.network, built.objective, data, config, on_epoch=on_epoch)
        except CaptureError as error:
            done.not_captured = str(error)
            train(built.network, built.objective, data, replace(config, captured=False), on_epoch=on_epoch)
    for module, state in zip((built.network, built.objective), kept, strict=False):
        module.load_state_dict(state)
    built.network.to(device).eval()
    built.objective.to(device).eval()
    return done


def _config(job: FewShotJob, epochs: int, device: torch.device) -> TrainingConfig:
    cuda = device.type == "cuda"
    return TrainingConfig(
        epochs=epochs,
        batch_size=job.batch_size,
        lr=job.lr,
        schedule="cosine",
        balanced=job.classes,
        seed=job.seed,
        device=str(device),
        mixed_precision=cuda,
        optimizer=job.optimizer,
        weight_decay=job.weight_decay,
        captured=cuda,
        compiled=cuda and job.steps >= _WORTH_COMPILING and importlib.util.find_spec("triton") is not None,
    )


def _copy(module: torch.nn.Module) -> dict[str, Tensor]:
    return {name: tensor.detach().clone() for name, tensor in module.state_dict().items()}
