"""Stored codes where nothing else is known of the items: every stored symbol counts as certain."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from dimco.spec import CodeSpec


class StoredCodes:
    """Stands where a model would, taking stored symbols in place of features.

    Parameters
    ----------
    spec : CodeSpec

    Attributes
    ----------
    features : int
        What it takes of an item: d symbols.
    """

    def __init__(self, spec: CodeSpec) -> None:
        self.spec = spec
        self.features = spec.d

    def log_probs(self, symbols: Any, batch_size: int = 0) -> Tensor:
        """0 for the stored symbol of each position and -inf for the others, (N, d, k)."""
        return self._chosen(symbols).log()

    def tables(self, symbols: Any) -> Tensor:
        """What makes a search count positions: 0 where the symbols agree, -1 where they differ, (N, d, k)."""
        return self._chosen(symbols) - 1

    def _chosen(self, symbols: Any) -> Tensor:
        return F.one_hot(torch.as_tensor(symbols.astype("int64")), self.spec.k).float()
