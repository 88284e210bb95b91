"""Epochs of a step that is recorded once and replayed, so that the device never waits for Python.

The batches of an epoch and their learning rates lie on the device, and the recorded step counts for itself: a replay
takes nothing from the host. Random numbers differ from replay to replay, because torch moves the generators of a graph
on with every replay. A replay also reads and writes where tensors lay when it was recorded, so whatever the step reads
is held for as long as it is replayed.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from dimco.errors import InputError
from dimco.ranks import Alone
from dimco.training.cuda_graph import Replay, record_graph
from dimco.training.data import DeviceData
from dimco.training.optimizer import set_learning_rate
from dimco.training.step import Step

Record = Callable[[Callable[[], None], Sequence[nn.Module], torch.optim.Optimizer, torch.Generator], Replay]


class KnownClasses(Alone):
    """A batch whose labels are 0 to classes - 1, each of them there, so that nobody has to look."""

    def __init__(self, classes: int) -> None:
        self._classes = classes

    def classes(self, labels: Tensor) -> Tensor:
        return torch.arange(self._classes, device=labels.device)


class CapturedSteps:
    """Whole epochs of recorded steps.

    Objectives get the labels of the data. One that says `needs_class_ids = False` gets labels 0 to `balanced` - 1,
    class after class, as balanced batches come, and if it has `ranks`, these know the classes.

    Parameters
    ----------
    step : Step
    data : DeviceData
    balanced : int or None
        Classes a batch.
    record : callable, default=record_graph
    """

    def __init__(self, step: Step, data: DeviceData, balanced: int | None, record: Record = record_graph) -> None:
        self._step, self._data, self._record = step, data, record
        self._renumbered = None if getattr(step.objective, "needs_class_ids", True) else balanced
        if self._renumbered is None and not getattr(step.objective, "needs_class_ids", True):
            raise InputError(
                f"expected balanced batches for a captured step with {type(step.objective).__name__}; got plain ones"
            )
        self._recorded: Replay | None = None
        self._sums: dict[str, Tensor] = {}

    def run(self, plan: NDArray[np.int64], rates: Sequence[float], generator: torch.Generator) -> dict[str, Tensor]:
        """Start an epoch of one step for each row of `plan`; the sums of the loss's parts, not waited for.

        Every call must have a plan of the same shape, and the same generator, whose state may differ.
        """
        if self._recorded is None:
            self._recorded = self._first(plan, rates, generator)
        self._plan.copy_(torch.from_numpy(plan))
        self._rates.copy_(torch.tensor(rates))
        for tensor in (self._done, *self._sums.values()):
            tensor.zero_()
        for _ in range(len(plan)):
            self._recorded.replay()
        return {name: value.clone() for name, value in self._sums.items()}

    def _first(self, plan: NDArray[np.int64], rates: Sequence[float], generator: torch.Generator) -> Replay:
        device = generator.device
        self._plan, self._rates = torch.from_numpy(plan).to(device), torch.tensor(rates, device=device)
        self._done = torch.zeros(1, dtype=torch.int64, device=device)
        self._last = torch.tensor(len(plan) - 1, device=device)

        def one() -> None:
            number = torch.minimum(self._done, self._last)
            set_learning_rate(self._step.optimizer, self._rates.index_select(0, number)[0])
            x, labels = self._data.gather(self._plan.index_select(0, number)[0])
            with self._classes_known():
                parts = self._step(x, self._labels(labels), generator)
            for name, value in parts.items():
                if name not in self._sums:
                    self._sums[name] = torch.zeros_like(value)
                self._sums[name].add_(value)
            self._done.add_(1)

        modules = [part for part in (self._step.model, self._step.objective) if isinstance(part, nn.Module)]
        return self._record(one, modules, self._step.optimizer, generator)

    def _labels(self, labels: Tensor) -> Tensor:
        if self._renumbered is None:
            return labels
        classes = torch.arange(self._renumbered, device=labels.device)
        return classes[:, None].expand(-1, len(labels) // self._renumbered).flatten()

    @contextlib.contextmanager
    def _classes_known(self) -> Iterator[None]:
        objective = self._step.objective
        if self._renumbered is None or not hasattr(objective, "ranks"):
            yield
            return
        before, objective.ranks = objective.ranks, KnownClasses(self._renumbered)
        try:
            yield
        finally:
            objective.ranks = before
