"""One step of training: a batch through the model and the objective, and the weights after it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from dimco.ranks import ALONE, Processes


class Step:
    """Forward pass, objective, gradients and a move of the optimizer.

    Parameters
    ----------
    model : nn.Module
    objective : callable
        `objective(output, labels, generator)` gives a named tuple whose `total` is minimised.
    optimizer : Optimizer
    mixed_precision : bool
        bfloat16 in the model's forward pass, and images with their channels last.
    processes : Processes, optional
        Those that the batch is spread over.
    compiled : bool, default=False
        Fuse the operations of the model in training mode.
    """

    def __init__(
        self,
        model: nn.Module,
        objective: Any,
        optimizer: torch.optim.Optimizer,
        mixed_precision: bool,
        processes: Processes = ALONE,
        compiled: bool = False,
    ) -> None:
        self.model, self.objective, self.optimizer = model, objective, optimizer
        self.mixed_precision, self.processes = mixed_precision, processes
        self._in_training = torch.compile(model, dynamic=False) if compiled else model

    def output(self, x: Tensor) -> Tensor:
        """What the model gives, as float32."""
        if self.mixed_precision and x.ndim == 4:
            x = x.contiguous(memory_format=torch.channels_last)
        with torch.autocast("cuda", torch.bfloat16, enabled=self.mixed_precision):
            output: Tensor = (self._in_training if self.model.training else self.model)(x)
        return output.float()

    def __call__(self, x: Tensor, labels: Tensor, generator: torch.Generator) -> dict[str, Tensor]:
        """The parts of the loss before the weights moved."""
        parts = self.objective(self.output(x), labels, generator)
        self.optimizer.zero_grad()
        parts.total.backward()
        self.processes.average_gradients(
            parameter for group in self.optimizer.param_groups for parameter in group["params"]
        )
        self.optimizer.step()
        return {name: value.detach() for name, value in parts._asdict().items()}
