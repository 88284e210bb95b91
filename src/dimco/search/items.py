"""Checks of what is put into an index: ids and codes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from dimco.codes import Codes, checked_symbols
from dimco.errors import InputError
from dimco.search.layout import BLOCK, Layout
from dimco.spec import CodeSpec

_CHUNK = 1 << 16
MAX_ID = np.iinfo(np.int64).max - 1


def as_array(values: Any, name: str) -> NDArray[Any]:
    """An array of what a caller passed, which may be a tensor on any device."""
    try:
        return np.asarray(values.detach().cpu() if isinstance(values, Tensor) else values)
    except ValueError as error:
        raise InputError(f"expected {name} as an array; got rows of different lengths") from error


def read_ids(ids: Any) -> NDArray[np.int64]:
    """Distinct ids from 0 to 2**63 - 2, in the order given."""
    given = np.atleast_1d(as_array(ids, "ids"))
    if given.size == 0:
        return np.empty(0, dtype=np.int64)
    if given.ndim != 1 or given.dtype.kind not in "iu":
        raise InputError(f"expected ids as a list of integers; got {given.dtype} of shape {given.shape}")
    if given.min() < 0 or given.max() > MAX_ID:
        raise InputError(f"expected ids from 0 to {MAX_ID}; got {given.min()} to {given.max()}")
    numbers = given.astype(np.int64)
    ordered = np.sort(numbers)
    repeated = ordered[1:][ordered[1:] == ordered[:-1]]
    if repeated.size:
        raise InputError(f"expected every id once; got {repeated[0]} more than once")
    return numbers


def read_codes(codes: Any, spec: CodeSpec) -> Codes | NDArray[Any]:
    """Codes of the shape of the index, packed or as an array of shape (N, d)."""
    if isinstance(codes, Codes):
        if codes.spec != spec:
            raise InputError(f"expected codes of {spec}, as in the index; got {codes.spec}")
        return codes
    return checked_symbols(as_array(codes, "codes"), spec)


def pack_rows(layout: Layout, codes: Codes | NDArray[Any], order: NDArray[np.int64] | None = None) -> NDArray[np.uint8]:
    """The blocks of codes, in the order given or in another one; a part of them is unpacked at a time."""
    blocks = layout.empty(len(codes))
    for start in range(0, len(codes), _CHUNK):
        some = slice(start, start + _CHUNK) if order is None else order[start : start + _CHUNK]
        part = codes[some]
        symbols = part.unpack() if isinstance(part, Codes) else part.astype(layout.spec.dtype, copy=False)
        first = start // BLOCK * layout.block_bytes
        packed = layout.pack(symbols)
        blocks[first : first + len(packed)] = packed
    return blocks
