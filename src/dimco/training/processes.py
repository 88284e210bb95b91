"""Processes that train one model together, as torchrun and accelerate start them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, distributed, nn

from dimco.errors import InputError, TrainingError
from dimco.ranks import ALONE, Processes

_SECONDS = 300


class ProcessRanks:
    """The processes of the group that torch.distributed knows; see `dimco.ranks.Processes`."""

    def __init__(self) -> None:
        self.rank, self.count = distributed.get_rank(), distributed.get_world_size()

    def sum(self, values: Tensor) -> Tensor:
        """The sum over ranks; its gradient is the sum over ranks of theirs."""
        total: Tensor = _Sum.apply(values, self)  # type: ignore[no-untyped-call]
        return total

    def mean(self, values: Tensor, items: int) -> Tensor:
        """The mean over the whole batch of what has the mean `values` over this rank's items."""
        everything = self._reduced(torch.tensor(float(items), device=values.device))
        return self.sum(values * (items / everything))

    def classes(self, labels: Tensor) -> Tensor:
        """The distinct labels of the whole batch, increasing."""
        mine = torch.unique(labels)
        most = self._reduced(torch.tensor(len(mine), device=labels.device), distributed.ReduceOp.MAX)
        padded = mine[:1].repeat(int(most))
        padded[: len(mine)] = mine
        everyone = [torch.empty_like(padded) for _ in range(self.count)]
        with self._together():
            distributed.all_gather(everyone, padded)
        distinct: Tensor = torch.unique(torch.cat(everyone))
        return distinct

    def part(self, batch: NDArray[np.int64]) -> NDArray[np.int64]:
        """This rank's items of a batch: every `count`-th one."""
        if len(batch) < self.count:
            raise InputError(f"expected batches of at least {self.count} items, one a process; got {len(batch)}")
        return batch[self.rank :: self.count]

    def average_gradients(self, parameters: Iterable[Tensor]) -> None:
        """Give each parameter the mean over ranks of its gradient, all in one message."""
        gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
        if not gradients:
            return
        message = self._reduced(torch.cat([gradient.flatten() for gradient in gradients])) / self.count
        for gradient, mean in zip(gradients, message.split([g.numel() for g in gradients]), strict=True):
            gradient.copy_(mean.view_as(gradient))

    def agree(self, module: nn.Module) -> None:
        """Give every rank the weights and buffers of rank 0."""
        with self._together(), torch.no_grad():
            for tensor in module.state_dict().values():
                distributed.broadcast(tensor, 0)

    def agreed(self, value: float) -> float:
        """The value of rank 0."""
        cuda = distributed.get_backend() == "nccl"
        told = torch.tensor(value, dtype=torch.float64, device="cuda" if cuda else "cpu")
        with self._together():
            distributed.broadcast(told, 0)
        return float(told)

    def _reduced(self, values: Tensor, how: Any = distributed.ReduceOp.SUM) -> Tensor:
        total = values.detach().clone(memory_format=torch.contiguous_format)
        with self._together():
            distributed.all_reduce(total, how)
        return total

    @contextmanager
    def _together(self) -> Iterator[None]:
        try:
            yield
        except RuntimeError as error:
            reason = str(error).strip().splitlines()[0]
            raise TrainingError(
                f"process {self.rank} of {self.count} lost another one ({reason}): the last checkpoint resumes on "
                "any number of processes"
            ) from error


class _Sum(torch.autograd.Function):
    """A sum over ranks, forwards and backwards."""

    @staticmethod
    def forward(ctx: Any, values: Tensor, ranks: ProcessRanks) -> Tensor:
        ctx.ranks = ranks
        return ranks._reduced(values)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Tensor, None]:
        return ctx.ranks._reduced(gradients[0]), None


@contextmanager
def joined_processes(device: str = "auto", seconds: float = _SECONDS) -> Iterator[Processes]:
    """Join the processes that a launcher started, for the length of the block; alone if there is no launcher.

    Parameters
    ----------
    device : str
        As in `TrainingConfig`; with CUDA each process takes the device of its place on its machine.
    seconds : float, default=300
        How long a process waits for another one before it gives up.
    """
    count = int(os.environ.get("WORLD_SIZE", "1")) if "RANK" in os.environ else 1
    if count == 1:
        yield ALONE
        return
    cuda = device != "cpu" and torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
    try:
        distributed.init_process_group("nccl" if cuda else "gloo", timeout=timedelta(seconds=seconds))
    except (RuntimeError, ValueError) as error:
        address = f"{os.environ.get('MASTER_ADDR')}:{os.environ.get('MASTER_PORT')}"
        reason = str(error).strip().splitlines()[0]
        raise TrainingError(f"cannot join {count} processes at {address}: {reason}") from error
    try:
        yield ProcessRanks()
        distributed.barrier()  # none leaves while another may still wait for a message of it
    finally:
        distributed.destroy_process_group()
