"""A function of tensors on a CUDA device, recorded once and replayed."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from dimco.errors import CaptureError

_WARM_UP = 3


class Replay(Protocol):
    """Something recorded."""

    def replay(self) -> None: ...


def record_graph(
    body: Callable[[], None],
    modules: Sequence[nn.Module],
    optimizer: torch.optim.Optimizer,
    generator: torch.Generator,
) -> Replay:
    """Record `body`, a step of training, after a few runs of it that are undone, as a capture needs them.

    Parameters
    ----------
    body : callable
        Must not wait for the device.
    modules : sequence of nn.Module
        What the step changes: weights and buffers.
    optimizer : Optimizer
        With learning rates that are tensors.
    generator : Generator
        Of the device; the step draws from it and from the device's global one.
    """
    stream, current = torch.cuda.Stream(generator.device), torch.cuda.current_stream(generator.device)
    with undone(modules, optimizer, generator), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*capturable=True.*")
        stream.wait_stream(current)
        with torch.cuda.stream(stream):
            for _ in range(_WARM_UP):
                body()
        current.wait_stream(stream)
        optimizer.zero_grad()
    graph = torch.cuda.CUDAGraph()
    graph.register_generator_state(generator)
    try:
        with torch.cuda.graph(graph):
            body()
    except RuntimeError as error:
        reason = str(error).strip().splitlines()[0]
        raise CaptureError(f"the step cannot be captured: {reason}; train with captured=False") from error
    return graph


@contextlib.contextmanager
def undone(
    modules: Sequence[nn.Module], optimizer: torch.optim.Optimizer, generator: torch.Generator
) -> Iterator[None]:
    """Put weights, buffers, the optimizer's state and the generators back, in place, to what they were.

    State that the optimizer did not have becomes zeros, which is what Adam and SGD with momentum start from.
    """
    tensors = [tensor for module in modules for tensor in module.state_dict().values()]
    before = [tensor.clone() for tensor in tensors]
    slots: dict[Any, dict[str, Tensor]] = {
        weight: {name: value.clone() for name, value in of_it.items() if value is not None}
        for weight, of_it in optimizer.state.items()
    }
    drawn, device = generator.get_state(), generator.device
    drawn_globally = torch.cuda.get_rng_state(device) if device.type == "cuda" else torch.get_rng_state()
    yield
    with torch.no_grad():
        for tensor, value in zip(tensors, before, strict=True):
            tensor.copy_(value)
        for weight, of_it in optimizer.state.items():
            for name, value in of_it.items():
                if value is not None:
                    value.copy_(slots[weight][name] if weight in slots else torch.zeros_like(value))
    generator.set_state(drawn)
    if device.type == "cuda":
        torch.cuda.set_rng_state(drawn_globally, device)
    else:
        torch.set_rng_state(drawn_globally)
