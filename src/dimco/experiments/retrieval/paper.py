"""Figures that our results stand beside, and the numbers to reach: Recall@1 in percent."""

from __future__ import annotations

from typing import NamedTuple

PAPER: dict[tuple[str, str], float] = {
    ("cub", "64x64"): 55.78,
    ("cub", "256x256"): 58.90,
    ("cars", "64x64"): 72.06,
    ("cars", "256x256"): 77.32,
}
"""DIMCO in table 4 of arXiv 1905.11656v2, by data set and code."""

PAPER_BASELINES = ("binomial-deviance", "triplet", "proxy-nca")
"""The embeddings of 128 floats that table 4 compares with."""


class Aim(NamedTuple):
    """Recall@1 of the strongest ResNet-50 method, to be reached by codes of at most so many bits."""

    dataset: str
    value: float
    bits: int
    whose: str


AIMS = (
    Aim("cub", 69.9, 1024, "Proxy-Anchor, 512 floats"),
    Aim("cars", 87.7, 1024, "Proxy-Anchor, 512 floats"),
)

TIMES_FASTER = 10.0
"""How many times longer float brute force should take than a search of (64,64)."""
