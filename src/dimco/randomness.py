"""Randomness as a function of a seed and a purpose, so that no two uses of one seed share a stream."""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Iterator

import numpy as np
import torch


def generator(seed: int, purpose: str, number: int = 0) -> np.random.Generator:
    """numpy's generator for the `number`-th use of `seed` for a purpose."""
    return np.random.default_rng(_sequence(seed, purpose, number))


@contextlib.contextmanager
def seeded(seed: int, purpose: str = "", number: int = 0) -> Iterator[torch.Generator]:
    """Seed torch's generators inside the block, restore them after it, and give a generator of its own.

    Initial weights and dropout draw from global state in every torch module; inside this block what
    they draw depends on the arguments alone, and nothing outside the block notices.
    """
    first, second = _sequence(seed, purpose, number).generate_state(2, dtype=np.uint64)
    with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
        torch.manual_seed(int(first) >> 1)
        yield torch.Generator().manual_seed(int(second) >> 1)


def _sequence(seed: int, purpose: str, number: int) -> np.random.SeedSequence:
    return np.random.SeedSequence(seed, spawn_key=(zlib.crc32(purpose.encode()), number))
