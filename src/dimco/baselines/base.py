"""What every quantizer offers, and the shared half of those whose score is a sum of table lookups."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar, Protocol, Self, runtime_checkable

import numpy as np
import torch
from torch import Tensor

from dimco.codes import Codes
from dimco.errors import InputError
from dimco.inputs import check_features, check_finite, check_shape, float_tensor
from dimco.similarity import code_scores
from dimco.spec import CodeSpec

_CELLS_AT_ONCE = 1 << 22
_CPU = torch.device("cpu")


@runtime_checkable
class Quantizer(Protocol):
    """A way to turn vectors into small codes and to score queries against them; higher is nearer.

    Residual and additive quantizers, whose score is no sum of independent lookups, implement this alone.
    """

    @property
    def name(self) -> str:
        """The method's name in results."""
        ...

    @property
    def bits(self) -> int:
        """Bits a stored item takes."""
        ...

    def fit(self, x: Any, y: Any = None) -> Self: ...

    def encode(self, x: Any) -> Codes: ...

    def scores(self, queries: Any, codes: Codes) -> Tensor:
        """The score of each query against each code, (Q, N)."""
        ...


class TableQuantizer(ABC):
    """A quantizer whose score is sum_i table[q, i, code_i], the form of eq. 8.

    An item is given the symbols that score best with itself, so its code is the argmax of its own table.
    A subclass names itself and implements `_fit` and `_tables`; inputs are checked and cut here.

    Parameters
    ----------
    spec : CodeSpec
        The shape of the code.

    Attributes
    ----------
    features : int or None
        Width of the input, None before `fit`.
    """

    name: ClassVar[str]

    def __init__(self, spec: CodeSpec) -> None:
        self.spec = spec
        self.features: int | None = None

    @property
    def bits(self) -> int:
        """Bits a stored item takes."""
        return self.spec.bits

    def check_width(self, features: int) -> None:
        """Raise `InputError` unless items of this many features can be given codes of this shape."""
        if self.spec.d > features:
            raise InputError(f"expected at most {features} positions for {features} features; got {self.spec.d}")

    def fit(self, x: Any, y: Any = None) -> Self:
        """Learn from the rows of `x`, (N, features); labels are taken and not used."""
        rows = training_rows(x)
        self.check_width(rows.shape[1])
        self._fit(rows)
        self.features = rows.shape[1]
        return self

    def encode(self, x: Any) -> Codes:
        """The codes of the rows of `x`; read in pieces, so `x` may be a memory-mapped array."""
        symbols = [tables.argmax(-1).numpy() for tables in self._pieces(x)]
        return Codes(np.concatenate(symbols), self.spec)

    def tables(self, queries: Any) -> Tensor:
        """What each symbol at each position adds to the score of each query, (Q, d, k)."""
        return torch.cat(list(self._pieces(queries)))

    def scores(self, queries: Any, codes: Codes) -> Tensor:
        """The score of each query against each code, (Q, N)."""
        if codes.spec != self.spec:
            raise InputError(f"expected codes of {self.spec}; got {codes.spec}")
        return code_scores(self.tables(queries), codes.unpack())

    @abstractmethod
    def _fit(self, x: Tensor) -> None:
        """Learn from finite float32 rows on the CPU, (N, features)."""

    @abstractmethod
    def _tables(self, queries: Tensor) -> Tensor:
        """The tables, (Q, d, k), of finite float32 rows of the width seen in `_fit`."""

    def _pieces(self, x: Any) -> Iterator[Tensor]:
        for piece in pieces(x, self.features, self.name, self.spec.k):
            yield self._tables(piece)


def training_rows(x: Any) -> Tensor:
    """The rows of `x`, checked, as float32 on the CPU."""
    rows = x if isinstance(x, Tensor) else np.asanyarray(x)
    check_features(rows)
    if rows.ndim != 2:
        raise InputError(f"expected features of shape (N, features); got shape {tuple(rows.shape)}")
    return float_tensor(rows, _CPU).detach()


def pieces(x: Any, features: int | None, name: str, cells_a_feature: int = 1) -> Iterator[Tensor]:
    """The rows of `x`, checked, as float32 on the CPU, a bounded number at once; `features` is None before `fit`."""
    if features is None:
        raise InputError(f"expected a fitted {name} quantizer; call fit first")
    rows = x if isinstance(x, Tensor) else np.asanyarray(x)
    check_shape(rows, features)
    step = max(1, _CELLS_AT_ONCE // (features * cells_a_feature))
    for start in range(0, len(rows), step):
        piece = rows[start : start + step]
        check_finite(piece, start)
        yield float_tensor(piece, _CPU).detach()


def check_power_of_two(k: int, method: str) -> None:
    """Raise `InputError` unless `k` is a power of two."""
    if k & (k - 1):
        raise InputError(f"expected k to be a power of two for {method}; got {k}")


def check_items(items: int, k: int) -> None:
    """Raise `InputError` unless there are as many items as centroids to place."""
    if items < k:
        raise InputError(f"expected at least {k} items to place {k} centroids; got {items}")
