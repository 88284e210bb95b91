"""The similarity of queries to stored codes (eq. 8), computed for all pairs."""

from __future__ import annotations

from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F  # noqa: N812

from dimco.errors import InputError


def code_scores(tables: Tensor, symbols: NDArray[Any] | Tensor) -> Tensor:
    """sum_i tables[q, i, symbols[n, i]] for every query q and code n (eq. 8 when tables are log p).

    Parameters
    ----------
    tables : Tensor of shape (Q, d, k)
        What each symbol at each position adds to the score of each query.
    symbols : array of shape (N, d)

    Returns
    -------
    Tensor of shape (Q, N)
        Every code is summed in the order of its positions, so equal codes score exactly equal.
    """
    codes = torch.as_tensor(symbols).long().to(tables.device)
    if tables.ndim != 3 or codes.ndim != 2 or tables.shape[1] != codes.shape[1]:
        raise InputError(
            f"expected tables (Q, d, k) and symbols (N, d) of one d; got {tuple(tables.shape)}, {tuple(codes.shape)}"
        )
    queries, d, k = tables.shape
    by_symbol = tables.reshape(queries, d * k).t().contiguous()
    rows = codes + torch.arange(d, device=codes.device) * k
    return F.embedding_bag(rows, by_symbol, mode="sum").t().contiguous()
