"""What every scan kernel reads: an immutable run of codes in the blocked layout, with their ids."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ScanSegment:
    """Codes in the blocked layout, ready to be scanned where they lie.

    Parameters
    ----------
    blocks : ndarray of uint8, flat
        Blocks of 64 items (`dimco.search.layout.Layout`); may be a memory map.
    rows : int
        How many items are real; the rest of the last block is padding.
    ids : ndarray of int64, shape (rows,), or int
        The id of every item in any order, or the first of consecutive ids.
    keep : ndarray of uint64, one word a block, or None
        Bit r of word b says that item 64 * b + r may be returned; None keeps all. Bits past `rows` mean nothing.
    """

    blocks: NDArray[np.uint8]
    rows: int
    ids: NDArray[np.int64] | int
    keep: NDArray[np.uint64] | None = None
