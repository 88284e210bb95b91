"""What a loss on embeddings gives to the training loop, and the check of what it takes."""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor

from dimco.errors import InputError


class MetricOutput(NamedTuple):
    """The parts of a loss on embeddings: the loss itself."""

    total: Tensor


def checked_batch(embeddings: Tensor, labels: Tensor) -> Tensor:
    """The embeddings in at least float32, or `InputError` unless they are (N, width) with N labels."""
    if embeddings.ndim != 2:
        raise InputError(f"expected embeddings of shape (N, width); got {tuple(embeddings.shape)}")
    if labels.shape != (len(embeddings),):
        raise InputError(f"expected {len(embeddings)} labels, one an item; got shape {tuple(labels.shape)}")
    return embeddings if embeddings.dtype.itemsize > 2 else embeddings.float()
