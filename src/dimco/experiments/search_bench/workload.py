"""What is searched in one cell: stored codes and the queries' tables, random or a user's own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dimco.datasets import load_data
from dimco.errors import InputError
from dimco.experiments.search_bench.vectors import FloatVectors
from dimco.randomness import generator
from dimco.search.pair import open_pair
from dimco.spec import CodeSpec

RANDOM = "random"


@dataclass(frozen=True)
class Workload:
    """Stored codes, the tables that ask for them, and float vectors of the same number.

    Attributes
    ----------
    dataset : str
        "random", or the name of the user's own.
    spec : CodeSpec
    symbols : ndarray of shape (N, d)
    tables : ndarray of float32, shape (Q, d, k)
        log p of every symbol at every position, for each query.
    vectors : FloatVectors
        What the peers that search vectors store: N of them, whatever the code.
    """

    dataset: str
    spec: CodeSpec
    symbols: NDArray[Any]
    tables: NDArray[np.float32]
    vectors: FloatVectors

    @property
    def items(self) -> int:
        return len(self.symbols)


def random_workload(spec: CodeSpec, vectors: FloatVectors, queries: int, seed: int) -> Workload:
    """Uniform codes, and log-softmax of normal logits: no symbol is likelier than another before the query comes."""
    random = generator(seed, f"search {spec} {vectors.items}")
    symbols = random.integers(0, spec.k, (vectors.items, spec.d), dtype=spec.dtype)
    logits = random.standard_normal((queries, spec.d, spec.k), dtype=np.float32)
    return Workload(RANDOM, spec, symbols, log_softmax(logits), vectors)


def own_workload(index: Path, model: Path, queries: Path, most: int, seed: int) -> Workload:
    """A user's own codes and queries, at most so many; ids are taken to be 0 to N - 1, in the order of the index's."""
    loaded, opened = open_pair(model, index)
    if len(opened) == 0:
        raise InputError(f"expected an index with items to search; {index} has none")
    tables = loaded.log_probs(load_data(queries).x[:most]).numpy()
    vectors = FloatVectors(len(opened), len(tables), seed)
    return Workload(index.name, opened.spec, opened.reconstruct(opened.ids), tables, vectors)


def log_softmax(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """log p over the last axis, in place."""
    logits -= logits.max(-1, keepdims=True)
    logits -= np.log(np.exp(logits).sum(-1, keepdims=True))
    return logits
