"""The bandwidth floor: how long one thread takes to read the stored codes once, with the fastest plain reader."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

_TRIALS = 5


class Floor:
    """Reads as many bytes as an index stores.

    Parameters
    ----------
    size : int
        Bytes of the blocks that a search reads.

    Attributes
    ----------
    reader : str
        The fastest of numpy's maximum over 8- and 4-byte integers and torch's sum, which all run at memory speed.
    """

    def __init__(self, size: int) -> None:
        words = np.random.default_rng(0).integers(0, 1 << 62, max(1, size // 8), dtype=np.int64)
        readers = _readers(words)
        self.bytes = words.nbytes
        self.reader = min(readers, key=lambda name: median(seconds(readers[name]) for _ in range(_TRIALS)))
        self.read = readers[self.reader]


def seconds(work: Callable[[], Any]) -> float:
    """How long a call takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _readers(words: NDArray[np.int64]) -> dict[str, Callable[[], Any]]:
    narrow, tensor = words.view(np.uint32), torch.from_numpy(words)
    return {"numpy max of int64": words.max, "numpy max of uint32": narrow.max, "torch sum of int64": tensor.sum}
