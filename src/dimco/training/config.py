"""TrainingConfig: every setting of a training run, in one record that is saved with the model."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, Literal

from dimco.errors import InputError

ScheduleName = Literal["one-cycle", "cosine", "constant"]
OptimizerName = Literal["adam", "sgd"]


@dataclass(frozen=True)
class TrainingConfig:
    """Settings of `dimco.training.train`.

    Parameters
    ----------
    epochs : int, default=40
        Passes over the data.
    batch_size : int, default=1024
        Items a step; capped by the number of items.
    lr : float, default=1e-2
        Highest learning rate.
    schedule : {"one-cycle", "cosine", "constant"}, default="one-cycle"
        How the learning rate moves over the run.
    balanced : int or None, default=None
        Classes a batch: each batch then holds batch_size // balanced items of each of `balanced`
        classes drawn at random. None takes plain shuffled batches.
    patience : int or None, default=None
        Stop after this many epochs without more held-out information, or without a better score of `validate`,
        and keep the best epoch.
    validate_every : int, default=1
        Epochs from one call of `validate` to the next; the last epoch has one in any case.
    optimizer : {"adam", "sgd"}, default="adam"
    momentum : float, default=0.9
        Of "sgd" alone, and Nesterov's; 0 for none.
    weight_decay : float, default=0.0
        Added to every gradient, times the weight.
    backbone_lr : float, default=1.0
        The backbone's learning rate as a share of the others'; 0 leaves its weights alone.
    seed : int, default=0
    device : str, default="auto"
        "auto" is CUDA if there is one.
    mixed_precision : bool, default=False
        bfloat16 in the model's forward pass; CUDA only. The objective stays in float32.
    captured : bool, default=False
        Record the whole step, from the choice of the batch to the change of the weights, as one CUDA graph and
        replay it, which keeps the device busy with small networks. Needs a CUDA device (on others it is refused),
        data that stay on the device (`PixelData`, `ArrayData`) and an objective that never waits for the device.
    compiled : bool, default=False
        Fuse the network's operations in training with `torch.compile`, which takes some seconds at first. Needs a CUDA
        device. Sums are rounded in another order.
    """

    epochs: int = 40
    batch_size: int = 1024
    lr: float = 1e-2
    schedule: ScheduleName = "one-cycle"
    balanced: int | None = None
    patience: int | None = None
    validate_every: int = 1
    optimizer: OptimizerName = "adam"
    momentum: float = 0.9
    weight_decay: float = 0.0
    backbone_lr: float = 1.0
    seed: int = 0
    device: str = "auto"
    mixed_precision: bool = False
    captured: bool = False
    compiled: bool = False

    def __post_init__(self) -> None:
        for name, least in (("epochs", 1), ("batch_size", 2), ("balanced", 1), ("patience", 1), ("validate_every", 1)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise InputError(f"expected {name} of at least {least}; got {value}")
        if not (math.isfinite(self.lr) and self.lr > 0):
            raise InputError(f"expected a positive learning rate; got {self.lr}")
        if self.schedule not in ("one-cycle", "cosine", "constant"):
            raise InputError(f'expected schedule "one-cycle", "cosine" or "constant"; got {self.schedule!r}')
        if self.optimizer not in ("adam", "sgd"):
            raise InputError(f'expected optimizer "adam" or "sgd"; got {self.optimizer!r}')
        if not 0 <= self.momentum < 1:
            raise InputError(f"expected momentum from 0 to below 1; got {self.momentum}")
        for name in ("weight_decay", "backbone_lr"):
            if not (math.isfinite(getattr(self, name)) and getattr(self, name) >= 0):
                raise InputError(f"expected {name} of at least 0; got {getattr(self, name)}")
        if self.balanced is not None and self.balanced > self.batch_size:
            raise InputError(f"expected a batch to hold {self.balanced} classes; it has {self.batch_size} items")
        if self.seed < 0:
            raise InputError(f"expected a seed of at least 0; got {self.seed}")

    def as_record(self) -> dict[str, Any]:
        """The settings as JSON, without how the device is used, which does not change what is learned."""
        record = asdict(self)
        del record["device"], record["captured"], record["compiled"]
        return record
