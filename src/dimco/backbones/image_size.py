"""Checks of the side of the images that a network halves four times."""

from __future__ import annotations

from torch import Tensor

from dimco.errors import InputError

_SMALLEST = 16


def check_size(size: int) -> int:
    """The side, if four halvings leave at least one pixel of it."""
    if size < _SMALLEST:
        raise InputError(f"expected images of at least {_SMALLEST} x {_SMALLEST}; got a size of {size}")
    return size


def check_images(x: Tensor, size: int) -> None:
    """Raise `InputError` unless `x` is a batch of square images of that side in three colours."""
    if x.shape[1:] != (3, size, size):
        raise InputError(f"expected images of shape (N, 3, {size}, {size}); got shape {tuple(x.shape)}")
