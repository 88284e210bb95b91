"""A power of the size of every feature, for features that follow a ReLU: most of them near 0, and few large."""

from __future__ import annotations

from torch import Tensor

from dimco.errors import InputError

_SMALL = 1e-4


def signed_power(x: Tensor, power: float) -> Tensor:
    """Every number's size to a power of at most 1, with its sign; less steep near 0, where a root has no slope."""
    if power == 1:
        return x
    powered: Tensor = x.sign() * ((x.abs() + _SMALL) ** power - _SMALL**power)
    return powered


def checked_power(power: float) -> float:
    if not 0 < power <= 1:
        raise InputError(f"expected a power above 0 and at most 1; got {power}")
    return power
