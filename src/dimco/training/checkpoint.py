"""Checkpoints: everything a run needs to go on exactly where it stopped, in one safetensors file."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from dimco.errors import DamagedFileError, TrainingError
from dimco.tensor_file import check_record, read_tensors, write_tensors
from dimco.training.history import EpochRecord

KIND = "checkpoint"


@dataclass
class Progress:
    """Where a run stands: the epochs done, and the best epoch so far when epochs are judged."""

    history: list[EpochRecord] = field(default_factory=list)
    best_epoch: int | None = None
    best_state: dict[str, Tensor] | None = None

    @property
    def best_score(self) -> float:
        score = None if self.best_epoch is None else self.history[self.best_epoch - 1].score
        return float("-inf") if score is None else score

    def exhausted(self, patience: int | None) -> bool:
        """Whether `patience` epochs have passed since the best one."""
        if patience is None or self.best_epoch is None:
            return False
        return len(self.history) - self.best_epoch >= patience


def save_checkpoint(
    path: str | Path, trained: nn.Module, optimizer: torch.optim.Optimizer, progress: Progress, run: dict[str, Any]
) -> None:
    """Write the state after the last finished epoch, atomically."""
    state = optimizer.state_dict()["state"]
    tensors = {f"module.{name}": tensor for name, tensor in trained.state_dict().items()}
    for parameter, slots in state.items():
        filled = {slot: value for slot, value in slots.items() if value is not None}
        tensors |= {f"optimizer.{parameter}.{slot}": value for slot, value in filled.items()}
    if progress.best_state is not None:
        tensors |= {f"best.{name}": tensor for name, tensor in progress.best_state.items()}
    record = {
        "run": run,
        "history": [epoch.as_record() for epoch in progress.history],
        "best_epoch": progress.best_epoch,
    }
    write_tensors(path, KIND, tensors, record)


def load_checkpoint(
    path: str | Path, trained: nn.Module, optimizer: torch.optim.Optimizer, run: dict[str, Any]
) -> Progress:
    """Restore module and optimizer, and give back the progress; the checkpoint must be of the same run."""
    tensors, record = read_tensors(path, KIND)
    check_record(path, record, ("run", "history", "best_epoch"))
    for name, value in run.items():
        if record["run"].get(name) != value:
            raise TrainingError(
                f"{path} is of another run: expected {name} {value!r}; the checkpoint has {record['run'].get(name)!r}"
            )
    try:
        trained.load_state_dict(_under(tensors, "module."))
        groups = optimizer.state_dict()["param_groups"]
        slots: dict[int, dict[str, Tensor]] = {}
        for name, value in _under(tensors, "optimizer.").items():
            parameter, _, slot = name.partition(".")
            slots.setdefault(int(parameter), {})[slot] = value
        optimizer.load_state_dict({"state": slots, "param_groups": groups})
        _lay_out_like_weights(optimizer)
        history = [EpochRecord(**epoch) for epoch in record["history"]]
    except (RuntimeError, ValueError, TypeError, KeyError) as error:
        raise DamagedFileError(f"{path} is damaged: {str(error).splitlines()[0]}") from error
    return Progress(history, record["best_epoch"], _under(tensors, "best.") or None)


def _lay_out_like_weights(optimizer: torch.optim.Optimizer) -> None:
    """Give the optimizer's state the memory layout of the weights, which a fused optimizer takes for granted."""
    for parameter, slots in optimizer.state.items():
        for slot, value in slots.items():
            if value.shape == parameter.shape:
                slots[slot] = torch.empty_like(parameter, dtype=value.dtype).copy_(value)


def _under(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
