"""A step of training recorded once as a CUDA graph and replayed, so that the device never waits for Python.

The batches of an epoch and their learning rates lie on the device, and the recorded step counts for itself: a replay
takes nothing from the host. Random numbers differ from replay to replay, because torch moves the generators of a graph
on with every replay.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dimco.errors import InputError, TrainingError
from dimco.ranks import Alone
from dimco.training.data import DeviceData
from dimco.training.optimizer import set_learning_rate
from dimco.training.step import Step

_WARM_UP = 3


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
    """

    def __init__(self, step: Step, data: DeviceData, balanced: int | None) -> None:
        self._step, self._data, self._balanced = step, data, balanced
        self._renumbers = not getattr(step.objective, "needs_class_ids", True)
        if self._renumbers and balanced is None:
            raise InputError(
                f"expected balanced batches for a captured step with {type(step.objective).__name__}; got plain ones"
            )
        self._graph: torch.cuda.CUDAGraph | None = None
        self._sums: dict[str, Tensor] = {}

    def run(self, plan: NDArray[np.int64], rates: Sequence[float], generator: torch.Generator) -> dict[str, Tensor]:
        """Start an epoch of one step for each row of `plan`; the sums of the loss's parts, not waited for.

        `generator`, of the device, must be the same one in every call; its state may differ.
        """
        device = generator.device
        if self._graph is None:
            self._plan, self._rates = torch.from_numpy(plan).to(device), torch.tensor(rates, device=device)
            self._count = torch.zeros(1, dtype=torch.int64, device=device)
            self._graph = self._record(generator)
        self._plan.copy_(torch.from_numpy(plan))
        self._rates.copy_(torch.tensor(rates))
        for tensor in (self._count, *self._sums.values()):
            tensor.zero_()
        for _ in range(len(plan)):
            self._graph.replay()
        return {name: value.clone() for name, value in self._sums.items()}

    def _one(self, generator: torch.Generator) -> None:
        """The step that is recorded."""
        places = self._plan.index_select(0, self._count)[0]
        set_learning_rate(self._step.optimizer, self._rates.index_select(0, self._count)[0])
        x, labels = self._data.gather(places)
        with self._classes_known():
            for name, value in self._step(x, self._labels(labels), generator).items():
                if name not in self._sums:
                    self._sums[name] = torch.zeros_like(value)
                self._sums[name].add_(value)
        self._count.add_(1)

    def _labels(self, labels: Tensor) -> Tensor:
        if not self._renumbers or self._balanced is None:
            return labels
        classes = torch.arange(self._balanced, device=labels.device)
        return classes[:, None].expand(-1, len(labels) // self._balanced).flatten()

    @contextlib.contextmanager
    def _classes_known(self) -> Iterator[None]:
        objective = self._step.objective
        if not self._renumbers or self._balanced is None or not hasattr(objective, "ranks"):
            yield
            return
        before, objective.ranks = objective.ranks, KnownClasses(self._balanced)
        try:
            yield
        finally:
            objective.ranks = before

    def _record(self, generator: torch.Generator) -> torch.cuda.CUDAGraph:
        """Take a few steps on a stream of their own, as a capture needs it, undo them, and record one."""
        with self._undone(generator), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*capturable=True.*")
            stream = torch.cuda.Stream(generator.device)
            stream.wait_stream(torch.cuda.current_stream(generator.device))
            with torch.cuda.stream(stream):
                for _ in range(_WARM_UP):
                    self._count.zero_()
                    self._one(generator)
            torch.cuda.current_stream(generator.device).wait_stream(stream)
            self._step.optimizer.zero_grad()
        graph = torch.cuda.CUDAGraph()
        graph.register_generator_state(generator)
        try:
            with torch.cuda.graph(graph):
                self._one(generator)
        except RuntimeError as error:
            reason = str(error).strip().splitlines()[0]
            raise TrainingError(f"the step cannot be captured: {reason}; train with captured=False") from error
        return graph

    @contextlib.contextmanager
    def _undone(self, generator: torch.Generator) -> Iterator[None]:
        """Put weights, buffers, the optimizer's state and the generators back to what they were."""
        modules = [m for m in (self._step.model, self._step.objective) if isinstance(m, torch.nn.Module)]
        tensors = [tensor for module in modules for tensor in module.state_dict().values()]
        before = [tensor.clone() for tensor in tensors]
        state = self._step.optimizer.state
        slots: dict[Any, dict[str, Tensor]] = {
            parameter: {name: value.clone() for name, value in of_it.items() if value is not None}
            for parameter, of_it in state.items()
        }
        drawn, drawn_by_device = generator.get_state(), torch.cuda.get_rng_state(generator.device)
        yield
        with torch.no_grad():
            for tensor, value in zip(tensors, before, strict=True):
                tensor.copy_(value)
            for parameter, of_it in state.items():
                for name, value in of_it.items():
                    if value is not None:
                        value.copy_(slots[parameter][name]) if parameter in slots else value.zero_()
        generator.set_state(drawn)
        torch.cuda.set_rng_state(drawn_by_device, generator.device)
