"""Checks of what a user passes in, before any work starts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dimco.errors import InputError

_CHECKED_ROWS = 16_384


def check_features(x: Any, expected: int | None = None) -> None:
    """Raise `InputError` unless `x` is a non-empty finite array of real numbers, (N, features) if a width is given.

    Rows are read in pieces, so `x` may be a memory-mapped array.
    """
    check_shape(x, expected)
    for start in range(0, len(x), _CHECKED_ROWS):
        check_finite(x[start : start + _CHECKED_ROWS], start)


def check_shape(x: Any, features: int | None) -> None:
    """Raise `InputError` unless `x` holds items of numbers, of width `features` if that is known."""
    shape = tuple(x.shape)
    if len(shape) < 2 or (features is not None and len(shape) != 2):
        raise InputError(f"expected features of shape (N, {features or '...'}); got shape {shape}")
    if 0 in shape:
        raise InputError(f"expected at least one item and one feature; got shape {shape}")
    if features is not None and shape[1] != features:
        raise InputError(f"expected {features} features, as in training; got {shape[1]}")
    if x.dtype.is_complex if isinstance(x, Tensor) else x.dtype.kind not in "fiub":
        raise InputError(f"expected real numbers as features; got {x.dtype}")


def check_finite(rows: Any, first_row: int = 0) -> None:
    """Raise `InputError` naming the first row that holds NaN or infinity, or becomes infinite as float32."""
    if rows.dtype in (np.uint8, torch.uint8):
        return
    if isinstance(rows, Tensor):
        finite = torch.isfinite(rows.float()).flatten(1).all(1).cpu().numpy()
    else:
        with np.errstate(over="ignore"):
            finite = np.isfinite(rows.astype(np.float32) if rows.dtype.itemsize > 4 else rows)
    if not finite.all():
        row = int(np.flatnonzero(~finite.reshape(len(finite), -1).all(1))[0])
        raise InputError(f"expected finite features; row {first_row + row} holds NaN or infinity")


def float_tensor(rows: Any, device: torch.device) -> Tensor:
    """Rows of an array or tensor as a float32 tensor on the device; bytes travel as bytes."""
    if isinstance(rows, Tensor):
        return rows.to(device).float()
    if rows.dtype == np.uint8:
        return torch.from_numpy(np.array(rows)).to(device).float()
    return torch.from_numpy(np.array(rows, dtype=np.float32)).to(device)


def encode_labels(y: Any, length: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The sorted classes of `y` and each item's class index; at least two classes are needed to learn."""
    labels = check_labels(y, length)
    classes, indices = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        found = f"one class only: {classes.tolist()[0]!r}" if len(classes) else "no labels"
        raise InputError(f"expected labels of at least 2 classes; got {found}")
    return classes, indices.astype(np.int64)


def check_labels(y: Any, length: int) -> NDArray[Any]:
    """Labels as an array, one an item, none missing."""
    labels = np.asarray(y)
    if labels.shape != (length,):
        raise InputError(f"expected {length} labels, one an item; got shape {labels.shape}")
    if labels.dtype == object and any(label is None or _is_nan(label) for label in labels):
        raise InputError("expected a label for every item; got None or NaN")
    if np.issubdtype(labels.dtype, np.floating):
        if not np.isfinite(labels).all():
            raise InputError("expected a label for every item; got NaN or infinity")
        fractions = labels[labels != np.floor(labels)]
        if fractions.size:
            raise InputError(
                f"expected class labels (integers or strings); got continuous values such as {fractions[0]}"
            )
    return labels


def _is_nan(label: Any) -> bool:
    return isinstance(label, float) and math.isnan(label)
