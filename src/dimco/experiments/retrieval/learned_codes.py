"""The codes that a training gave for the test items, kept so that queries can be timed on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from dimco.spec import CodeSpec

if TYPE_CHECKING:
    from dimco.experiments.retrieval.train import RetrievalRun

QUERIES = 256
_AT_ONCE = 512


class StoredCodes(NamedTuple):
    """Codes of a database and tables of queries.

    Attributes
    ----------
    name : str
        Of the data set.
    symbols : ndarray of shape (N, d)
    tables : ndarray of float32, shape (Q, d, k)
        log p of every symbol at every position.
    """

    name: str
    symbols: NDArray[Any]
    tables: NDArray[np.float32]


class LearnedCodes:
    """What `take` found: the first codes of each spec.

    Attributes
    ----------
    of : dict of CodeSpec to StoredCodes
    """

    def __init__(self) -> None:
        self.of: dict[CodeSpec, StoredCodes] = {}

    @torch.inference_mode()
    def take(self, run: RetrievalRun) -> None:
        """Keep the codes of the items that a run is measured on."""
        new = [part for part in run.parts if part.spec is not None and part.spec not in self.of]
        if not new:
            return
        features = run.features(run.data.x[run.measured])
        for part in new:
            blocks = [part.logits(rows).argmax(-1).cpu().numpy() for rows in features.split(_AT_ONCE)]
            symbols = np.concatenate(blocks).astype(part.spec.dtype)
            tables = part.logits(features[:QUERIES]).log_softmax(-1).cpu().numpy()
            self.of[part.spec] = StoredCodes(run.data.name, symbols, tables)
