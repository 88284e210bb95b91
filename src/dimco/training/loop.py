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

from dimco.errors import InputError, TrainingError
from dimco.model import CodeModel
from dimco.objectives import Objective
from dimco.randomness import generator, seeded
from dimco.training.batches import Indices, balanced_batches, plain_batches, steps_per_epoch
from dimco.training.checkpoint import Progress, load_checkpoint, save_checkpoint
from dimco.training.config import TrainingConfig
from dimco.training.data import TrainingData
from dimco.training.history import EpochRecord
from dimco.training.schedule import learning_rate

_HELD_OUT_BATCH = 4_096


def train(
    model: CodeModel,
    objective: nn.Module,
    data: TrainingData,
    config: TrainingConfig | None = None,
    held_out: TrainingData | None = None,
    checkpoint: str | Path | None = None,
    resume: bool = False,
    on_epoch: Callable[[EpochRecord], None] | None = None,
) -> list[EpochRecord]:
    """Train a model in place; leave it on the CPU, in evaluation mode.

    Parameters
    ----------
    model : CodeModel
    objective : Infomax, DecoderInfomax or another module with their `forward`
        Trained together with the model if it has parameters.
    data : TrainingData
        `ArrayData` or `DatasetData`.
    config : TrainingConfig, optional
    held_out : TrainingData, optional
        Items whose information is measured after each epoch; the model ends as it was at the best one.
    checkpoint : path, optional
        Written after every epoch; an interrupted run leaves the last one.
    resume : bool, default=False
        Go on from `checkpoint`; the result is the same as without the interruption.
    on_epoch : callable, optional
        Called with each `EpochRecord`.

    Returns
    -------
    list of EpochRecord
    """
    config = config or TrainingConfig()
    if config.patience is not None and held_out is None:
        raise InputError("expected held-out data for early stopping; got patience without it")
    run = _Run(model, objective, data, config, held_out)
    if resume:
        if checkpoint is None:
            raise InputError("expected a checkpoint to resume from; got none")
        run.progress = load_checkpoint(checkpoint, run.trained, run.optimizer, run.identity)
    while len(run.progress.history) < config.epochs and not run.progress.exhausted(config.patience):
        record = run.epoch()
        if checkpoint is not None:
            save_checkpoint(checkpoint, run.trained, run.optimizer, run.progress, run.identity)
        if on_epoch is not None:
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


class _Run:
    """The moving parts of one call of `train`."""

    def __init__(
        self,
        model: CodeModel,
        objective: nn.Module,
        data: TrainingData,
        config: TrainingConfig,
        held_out: TrainingData | None,
    ) -> None:
        self.device = pick_device(config.device)
        self.model, self.data, self.config, self.held_out = model, data, config, held_out
        self.trained = nn.ModuleDict({"model": model, "objective": objective}).to(self.device)
        self.objective = cast(Objective, objective)
        self.optimizer = torch.optim.Adam(self.trained.parameters(), lr=config.lr)
        self.progress = Progress()
        self.batch_size = min(config.batch_size, len(data.labels))
        self.identity: dict[str, Any] = {
            "code": str(model.spec),
            "head": [type(model.head).__name__, model.head.config],
            "objective": [type(objective).__name__, getattr(objective, "config", {})],
            "items": len(data.labels),
            "labels": zlib.crc32(data.labels.tobytes()),
            **config.as_record(),
        }

    def epoch(self) -> EpochRecord:
        number = len(self.progress.history)
        start = time.perf_counter()
        with seeded(self.config.seed, "epoch", number) as pairs:
            parts, lr = self._steps(number, pairs)
            held_out = None if self.held_out is None else self._held_out_information(self.held_out)
        seconds = time.perf_counter() - start
        record = EpochRecord(number + 1, self.config.epochs, lr, parts, held_out, seconds)
        self.progress.history.append(record)
        if held_out is not None and held_out > self.progress.best_information:
            self.progress.best_epoch = record.epoch
            self.progress.best_state = {name: t.detach().clone() for name, t in self.trained.state_dict().items()}
        return record

    def finish(self) -> None:
        if self.progress.best_state is not None:
            self.trained.load_state_dict(self.progress.best_state)
        self.trained.cpu().eval()

    def _steps(self, epoch: int, pairs: torch.Generator) -> tuple[dict[str, float], float]:
        steps = steps_per_epoch(len(self.data.labels), self.batch_size)
        total = steps * self.config.epochs
        sums: dict[str, torch.Tensor] = {}
        lr = 0.0
        self.trained.train()
        for step, (x, labels) in enumerate(self.data.batches(self._indices(epoch), self.device)):
            lr = learning_rate(self.config.schedule, self.config.lr, epoch * steps + step, total)
            for group in self.optimizer.param_groups:
                group["lr"] = lr
            output = self.objective(self._logits(x), labels, pairs)
            self.optimizer.zero_grad()
            output.total.backward()
            self.optimizer.step()
            for name, value in output._asdict().items():
                sums[name] = sums.get(name, 0) + value.detach()
        parts = {name: float(value) / steps for name, value in sums.items()}
        if not np.isfinite(parts["total"]):
            raise TrainingError(f"the loss became {parts['total']} in epoch {epoch + 1}; try a smaller learning rate")
        return parts, lr

    def _indices(self, epoch: int) -> Iterator[Indices]:
        rng = generator(self.config.seed, "batches", epoch)
        if self.config.balanced is None:
            return plain_batches(len(self.data.labels), self.batch_size, rng)
        return balanced_batches(self.data.labels, self.config.balanced, self.batch_size, rng)

    def _logits(self, x: torch.Tensor) -> torch.Tensor:
        mixed = self.config.mixed_precision and self.device.type == "cuda"
        with torch.autocast("cuda", torch.bfloat16, enabled=mixed):
            logits: torch.Tensor = self.model(x)
        return logits

    @torch.inference_mode()
    def _held_out_information(self, data: TrainingData) -> float:
        """Mean information over batches of held-out items, weighted by their size."""
        self.trained.eval()
        items = len(data.labels)
        order = generator(self.config.seed, "held out").permutation(items)
        cuts = np.array_split(order, max(1, items // _HELD_OUT_BATCH))
        total = 0.0
        for x, labels in data.batches(cuts, self.device):
            pairs = torch.Generator().manual_seed(self.config.seed)
            total += float(self.objective(self._logits(x), labels, pairs).information) * len(labels)
        return total / items
