"""What happened in each epoch of a run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class EpochRecord:
    """One epoch: the loss and its parts in nats, the information in bits, the time it took.

    Attributes
    ----------
    epoch, epochs : int
        This epoch, from 1, and how many were asked for.
    lr : float
        Learning rate at the last step.
    parts : dict of str to float
        The loss ("total") and its parts by name, in nats, averaged over the epoch's steps.
    held_out : float or None
        Information on the held-out part, in nats.
    seconds : float
    validated : float or None
        What `validate` gave after this epoch; None in epochs without a call of it.
    """

    epoch: int
    epochs: int
    lr: float
    parts: dict[str, float]
    held_out: float | None
    seconds: float
    validated: float | None = None

    @property
    def information_bits(self) -> float | None:
        """I(X; Y) of the training batches, in bits; None if the objective does not measure it."""
        information = self.parts.get("information")
        return None if information is None else information / math.log(2)

    @property
    def held_out_bits(self) -> float | None:
        """I(X; Y) of the held-out part, in bits."""
        return None if self.held_out is None else self.held_out / math.log(2)

    @property
    def score(self) -> float | None:
        """What the best epoch is chosen by: what `validate` gave, else the held-out information."""
        return self.held_out if self.validated is None else self.validated

    def as_record(self) -> dict[str, Any]:
        return asdict(self)


def learning_curve(history: Sequence[EpochRecord]) -> list[dict[str, Any]]:
    """What a model keeps of its training: loss in nats and information in bits of each epoch, without times."""
    return [
        {
            "epoch": record.epoch,
            "loss": round(record.parts["total"], 4),
            "information_bits": _rounded(record.information_bits),
            "held_out_bits": _rounded(record.held_out_bits),
        }
        for record in history
    ]


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
