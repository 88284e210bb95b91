"""Checks of what is searched for: tables of log probabilities and a number of neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dimco.errors import InputError
from dimco.search.items import as_array
from dimco.spec import CodeSpec


def read_queries(log_probs: Any, spec: CodeSpec) -> tuple[NDArray[np.float32], bool]:
    """Tables of float32, shape (Q, d, k), and whether a single one was given, without its first axis."""
    if isinstance(log_probs, Tensor):
        log_probs = log_probs.detach().to("cpu", torch.float32)
    given = as_array(log_probs, "log probabilities")
    if given.dtype.kind not in "fiu":
        raise InputError(f"expected log probabilities as numbers; got {given.dtype}")
    if given.ndim not in {2, 3} or given.shape[-2:] != (spec.d, spec.k):
        raise InputError(
            f"expected log probabilities of shape ({spec.d}, {spec.k}) or (Q, {spec.d}, {spec.k}) for {spec}; "
            f"got {given.shape}"
        )
    if given.ndim == 3 and len(given) == 0:
        raise InputError(f"expected at least one query; got log probabilities of shape {given.shape}")
    with np.errstate(over="ignore"):
        tables = np.require(given, np.float32, ("C", "A"))
    if not tables.max() < np.inf:
        wrong = "NaN" if np.isnan(tables).any() else "+infinity"
        raise InputError(f"expected log probabilities that are finite or -infinity; got {wrong}")
    return tables.reshape(-1, spec.d, spec.k), given.ndim == 2


def read_count(n: Any) -> int:
    """The number of neighbours wanted."""
    if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1:
        raise InputError(f"expected n to be an integer of at least 1; got {n!r}")
    return int(n)
