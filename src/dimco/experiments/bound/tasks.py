"""Tasks drawn from labelled embeddings: a few classes, and samples of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from dimco.information import joint_information, mutual_information
from dimco.model import CodeModel

MOST_CODEWORDS = 256


class Task(NamedTuple):
    """Rows of the data, and each one's class."""

    rows: NDArray[np.int64]
    labels: NDArray[np.int64]


@dataclass(frozen=True)
class Environment:
    """Where tasks come from: each has `ways` classes, drawn without repetition, and independent samples of them.

    Attributes
    ----------
    rows : ndarray of shape (classes, items)
        The rows that may be drawn, class by class.
    ways : int
    """

    rows: NDArray[np.int64]
    ways: int

    def draw(self, samples: int, rng: np.random.Generator) -> Task:
        """A task with that many samples."""
        chosen = rng.permutation(len(self.rows))[: self.ways]
        labels = chosen[rng.integers(self.ways, size=samples)]
        return Task(self.rows[labels, rng.integers(self.rows.shape[1], size=samples)], labels)

    def whole(self, rng: np.random.Generator) -> Task:
        """A task with every item of its classes once."""
        chosen = rng.permutation(len(self.rows))[: self.ways]
        return Task(self.rows[chosen].reshape(-1), np.repeat(chosen, self.rows.shape[1]))


def halves(labels: NDArray[np.int64], classes: int, ways: int, rng: np.random.Generator) -> tuple[Environment, ...]:
    """Two environments of the same classes with different items, as many of each class."""
    each = int(np.bincount(labels, minlength=classes).min()) // 2
    drawn = np.stack([rng.permutation(np.flatnonzero(labels == c))[: 2 * each] for c in range(classes)])
    return Environment(drawn[:, :each], ways), Environment(drawn[:, each:], ways)


def information(model: CodeModel, x: Any, task: Task) -> dict[str, float]:
    """Bits about the label in a task: in the whole `codeword`, where they can be enumerated, and over `positions`.

    Estimated by frequencies of the probabilistic code, as the bound has it (eq. 4 to 7).
    """
    p, labels = model.log_probs(x[task.rows]).exp().double(), torch.from_numpy(task.labels)
    found = {"positions": float(mutual_information(p, labels)) / math.log(2)}
    if model.spec.capacity <= MOST_CODEWORDS:
        found["codeword"] = float(joint_information(p, labels)) / math.log(2)
    return found
