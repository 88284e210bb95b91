"""TrainingConfig: every setting of a training run, in one record that is saved with the model."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, Literal

from dimco.errors import InputError

ScheduleName = Literal["one-cycle", "cosine", "constant"]


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
        Highest learning rate of Adam.
    schedule : {"one-cycle", "cosine", "constant"}, default="one-cycle"
        How the learning rate moves over the run.
    balanced : int or None, default=None
        Classes a batch: each batch then holds batch_size // balanced items of each of `balanced`
        classes drawn at random. None takes plain shuffled batches.
    patience : int or None, default=None
        Stop after this many epochs without more held-out information, and keep the best epoch.
    seed : int, default=0
    device : str, default="auto"
        "auto" is CUDA if there is one.
    mixed_precision : bool, default=False
        bfloat16 in the model's forward pass; CUDA only. The objective stays in float32.
    """

    epochs: int = 40
    batch_size: int = 1024
    lr: float = 1e-2
    schedule: ScheduleName = "one-cycle"
    balanced: int | None = None
    patience: int | None = None
    seed: int = 0
    device: str = "auto"
    mixed_precision: bool = False

    def __post_init__(self) -> None:
        for name, least in (("epochs", 1), ("batch_size", 2), ("balanced", 1), ("patience", 1)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise InputError(f"expected {name} of at least {least}; got {value}")
        if not (math.isfinite(self.lr) and self.lr > 0):
            raise InputError(f"expected a positive learning rate; got {self.lr}")
        if self.schedule not in ("one-cycle", "cosine", "constant"):
            raise InputError(f'expected schedule "one-cycle", "cosine" or "constant"; got {self.schedule!r}')
        if self.balanced is not None and self.balanced > self.batch_size:
            raise InputError(f"expected a batch to hold {self.balanced} classes; it has {self.batch_size} items")
        if self.seed < 0:
            raise InputError(f"expected a seed of at least 0; got {self.seed}")

    def as_record(self) -> dict[str, Any]:
        """The settings as JSON, without the device, which does not change what is learned."""
        record = asdict(self)
        del record["device"]
        return record
