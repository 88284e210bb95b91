"""The training loop."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from torch import nn

from dimco.embedding_model import EmbeddingModel
from dimco.errors import InputError, TrainingError
from dimco.model import CodeModel
from dimco.randomness import generator, seeded
from dimco.ranks import ALONE, Processes
from dimco.training.batches import Indices, balanced_batches, plain_batches, steps_per_epoch
from dimco.training.captured import CapturedSteps
from dimco.training.checkpoint import Progress, load_checkpoint, save_checkpoint
from dimco.training.config import TrainingConfig
from dimco.training.data import DeviceData, TrainingData
from dimco.training.history import EpochRecord
from dimco.training.optimizer import build_optimizer, set_learning_rate
from dimco.training.schedule import learning_rate
from dimco.training.shared_norm import shared_norms
from dimco.training.step import Step

Validate = Callable[[Any], float]

_HELD_OUT_BATCH = 4_096


def train(
    model: CodeModel | EmbeddingModel,
    objective: nn.Module,
    data: TrainingData,
    config: TrainingConfig | None = None,
    held_out: TrainingData | None = None,
    checkpoint: str | Path | None = None,
    resume: bool = False,
    on_epoch: Callable[[EpochRecord], None] | None = None,
    validate: Validate | None = None,
    processes: Processes = ALONE,
) -> list[EpochRecord]:
    """Train a model in place; leave it on the CPU, in evaluation mode.

    Parameters
    ----------
    model : CodeModel or EmbeddingModel
    objective : nn.Module
        `objective(output, labels, generator)` takes the model's output for a batch, logits or embeddings, and
        gives a named tuple of its parts, whose `total` is minimised; for `held_out` it needs `information`. Trained
        together with the model if it has parameters, at `objective.lr_factor` times the rate if it has one. The
        generator is on the device of the batch.
    data : TrainingData
        `ArrayData`, `PixelData` or `DatasetData`.
    config : TrainingConfig, optional
    held_out : TrainingData, optional
        Items whose information is measured after each epoch; the model ends as it was at the best one.
    checkpoint : path, optional
        Written after every epoch; an interrupted run leaves the last one.
    resume : bool, default=False
        Go on from `checkpoint`; the result is the same as without the interruption.
    on_epoch : callable, optional
        Called with each `EpochRecord`.
    validate : callable, optional
        In place of `held_out`: gives a score of the model, the higher the better, every `config.validate_every`
        epochs. It gets the model on its device, in evaluation mode. The model ends as it was at the best score.
    processes : Processes, optional
        Processes that call this together with the same arguments, from `joined_processes`. Each takes its part of
        every batch, and all end with the same model, that of one process to float tolerance but for dropout and
        augmentation, which every process draws for itself. The first one writes the checkpoint, which resumes on
        any number of processes, and reports epochs. The objective must have `ranks`.

    Returns
    -------
    list of EpochRecord
    """
    config = config or TrainingConfig()
    if held_out is not None and validate is not None:
        raise InputError("expected held-out data or a function that validates; got both")
    if config.patience is not None and held_out is None and validate is None:
        raise InputError("expected held-out data for early stopping; got patience without it")
    run = _Run(model, objective, data, config, held_out, validate, processes)
    if resume:
        if checkpoint is None:
            raise InputError("expected a checkpoint to resume from; got none")
        run.progress = load_checkpoint(checkpoint, run.trained, run.optimizer, run.identity)
    while len(run.progress.history) < config.epochs and not run.progress.exhausted(config.patience):
        with shared_norms(run.trained, processes):
            record = run.epoch()
        if checkpoint is not None and processes.rank == 0:
            save_checkpoint(checkpoint, run.trained, run.optimizer, run.progress, run.identity)
        if on_epoch is not None and processes.rank == 0:
            on_epoch(record)
    run.finish()
    return run.progress.history


def pick_device(name: str) -> torch.device:
    """The device of that name; "auto" is CUDA if there is one."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError:
        raise InputError(f'expected a device such as "auto", "cpu" or "cuda"; got {name!r}') from None
    if device.type == "cuda" and not torch.cuda.is_available():
        raise InputError(f"expected a CUDA device for {name!r}; torch finds none")
    return device


def _lay_out(module: nn.Module, memory_format: torch.memory_format) -> None:
    """Give the weights of convolutions that layout in memory."""
    cast(Any, module).to(memory_format=memory_format)


class _Run:
    """The moving parts of one call of `train`."""

    def __init__(
        self,
        model: CodeModel | EmbeddingModel,
        objective: nn.Module,
        data: TrainingData,
        config: TrainingConfig,
        held_out: TrainingData | None,
        validate: Validate | None,
        processes: Processes,
    ) -> None:
        self.device = pick_device(config.device)
        self.processes = processes
        self.model, self.objective, self.data, self.config = model, objective, data, config
        self.held_out, self.validate = held_out, validate
        self.trained = nn.ModuleDict({"model": model, "objective": objective}).to(self.device)
        mixed = config.mixed_precision and self.device.type == "cuda"
        if mixed:
            _lay_out(self.trained, torch.channels_last)
        if hasattr(objective, "batch_classes"):
            cast(Any, objective).batch_classes = config.balanced
        self._share(objective)
        self.optimizer = build_optimizer(model, objective, model.backbone, config)
        if config.compiled and self.device.type != "cuda":
            raise InputError(f"expected a CUDA device for a compiled network; got {self.device}")
        self.step = Step(model, objective, self.optimizer, mixed, processes, config.compiled)
        self.draws = torch.Generator(self.device)
        self.captured = self._captured() if config.captured else None
        self.progress = Progress()
        self.batch_size = min(config.batch_size, len(data.labels))
        self.steps = steps_per_epoch(len(data.labels), self.batch_size)
        self.plans: dict[int, Indices] = {}
        self.identity: dict[str, Any] = {
            **model.identity,
            "objective": [type(objective).__name__, getattr(objective, "config", {})],
            "items": len(data.labels),
            "labels": zlib.crc32(data.labels.tobytes()),
            **config.as_record(),
        }

    def epoch(self) -> EpochRecord:
        number = len(self.progress.history)
        start = time.perf_counter()
        with seeded(self.config.seed, "epoch", number) as draws:
            self.draws.manual_seed(draws.initial_seed())
            if self.processes.rank:
                torch.manual_seed(draws.initial_seed() + self.processes.rank)
            self.trained.train()
            sums = self._steps(number) if self.captured is None else self._captured_steps(number, self.captured)
            parts = {name: float(value) / self.steps for name, value in sums.items()}
            if not np.isfinite(parts["total"]):
                raise TrainingError(
                    f"the loss became {parts['total']} in epoch {number + 1}; try a smaller learning rate"
                )
            held_out = None if self.held_out is None else self._held_out_information(self.held_out)
            validated = self._validated(number + 1)
            held_out, validated = self._agreed(held_out), self._agreed(validated)
        rate, seconds = self._rate(number, self.steps - 1), time.perf_counter() - start
        record = EpochRecord(number + 1, self.config.epochs, rate, parts, held_out, seconds, validated)
        self.progress.history.append(record)
        if record.score is not None and record.score > self.progress.best_score:
            self.progress.best_epoch = record.epoch
            self.progress.best_state = {name: t.detach().clone() for name, t in self.trained.state_dict().items()}
        return record

    def finish(self) -> None:
        if self.processes.count > 1:
            cast(Any, self.objective).ranks = ALONE
        if self.progress.best_state is not None:
            self.trained.load_state_dict(self.progress.best_state)
        self.trained.zero_grad()
        _lay_out(self.trained.cpu().eval(), torch.contiguous_format)

    def _share(self, objective: nn.Module) -> None:
        """Make the objective measure the batch of all processes, and start all of them from the same weights."""
        if self.processes.count == 1:
            return
        if not hasattr(objective, "ranks"):
            name = type(objective).__name__
            raise InputError(f"expected an objective that sums over processes, such as Infomax; got {name}")
        if self.config.captured:
            raise InputError("expected one process for a captured step; got several")
        cast(Any, objective).ranks = self.processes
        self.processes.agree(self.trained)

    def _agreed(self, score: float | None) -> float | None:
        return None if score is None else self.processes.agreed(score)

    def _steps(self, epoch: int) -> dict[str, torch.Tensor]:
        sums: dict[str, torch.Tensor] = {}
        batches = (self.processes.part(batch) for batch in self._indices(epoch))
        for number, (x, labels) in enumerate(self.data.batches(batches, self.device)):
            set_learning_rate(self.optimizer, self._rate(epoch, number))
            for name, value in self.step(x, labels, self.draws).items():
                sums[name] = sums.get(name, 0) + value
        return sums

    def _captured(self) -> CapturedSteps:
        if self.device.type != "cuda":
            raise InputError(f"expected a CUDA device for a captured step; got {self.device}")
        if not isinstance(self.data, DeviceData):
            raise InputError(
                f"expected data that stay on the device for a captured step; got {type(self.data).__name__}"
            )
        return CapturedSteps(self.step, self.data, self.config.balanced)

    def _captured_steps(self, epoch: int, captured: CapturedSteps) -> dict[str, torch.Tensor]:
        rates = [self._rate(epoch, number) for number in range(self.steps)]
        sums = captured.run(self._plan(epoch), rates, self.draws)
        if epoch + 1 < self.config.epochs:
            self._plan(epoch + 1)  # while the device works
        del self.plans[epoch]
        return sums

    def _plan(self, epoch: int) -> Indices:
        """The batches of an epoch, one a row."""
        if epoch not in self.plans:
            self.plans[epoch] = np.stack(list(self._indices(epoch)))
        return self.plans[epoch]

    def _rate(self, epoch: int, step: int) -> float:
        place, total = epoch * self.steps + step, self.steps * self.config.epochs
        return learning_rate(self.config.schedule, self.config.lr, place, total)

    def _indices(self, epoch: int) -> Iterator[Indices]:
        rng = generator(self.config.seed, "batches", epoch)
        if self.config.balanced is None:
            return plain_batches(len(self.data.labels), self.batch_size, rng)
        return balanced_batches(self.data.labels, self.config.balanced, self.batch_size, rng)

    @torch.inference_mode()
    def _validated(self, epoch: int) -> float | None:
        if self.validate is None or (epoch % self.config.validate_every and epoch < self.config.epochs):
            return None
        self.trained.eval()
        score = float(self.validate(self.model))
        if not np.isfinite(score):
            raise TrainingError(f"expected a finite score of the model; validate gave {score} in epoch {epoch}")
        return score

    @torch.inference_mode()
    def _held_out_information(self, data: TrainingData) -> float:
        """Mean information over batches of held-out items, weighted by their size."""
        self.trained.eval()
        items = len(data.labels)
        order = generator(self.config.seed, "held out").permutation(items)
        cuts = np.array_split(order, max(1, items // _HELD_OUT_BATCH))
        total = 0.0
        for x, labels in data.batches(cuts, self.device):
            draws = torch.Generator(self.device).manual_seed(self.config.seed)
            information = self.objective(self.step.output(x), labels, draws).information
            total += float(information) * len(labels)
        return total / items
