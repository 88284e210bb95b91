"""A slow, obvious index to compare with: a dictionary, a loop and a sort."""

from collections.abc import Callable

import numpy as np
import pytest


class SlowIndex:
    """What CodeIndex does, an item at a time."""

    def __init__(self) -> None:
        self.codes: dict[int, list[int]] = {}
        self.labels: dict[int, object] = {}
        self.next_id = 0

    def add(self, codes, ids=None, labels=None):
        ids = range(self.next_id, self.next_id + len(codes)) if ids is None else ids
        for place, item in enumerate(ids):
            self.codes[int(item)] = [int(symbol) for symbol in codes[place]]
            if labels is not None:
                self.labels[int(item)] = labels[place]
            self.next_id = max(self.next_id, int(item) + 1)

    def remove(self, ids):
        for item in ids:
            del self.codes[int(item)]
            self.labels.pop(int(item), None)

    def search(self, log_probs, n, allowed=lambda item, label: True):
        """Ids and scores of one query, added in float64 in the order of positions."""
        found = []
        for item, codeword in self.codes.items():
            if allowed(item, self.labels.get(item)):
                score = np.float64(0)
                for position, symbol in enumerate(codeword):
                    score = score + np.float64(np.float32(log_probs[position][symbol]))
                found.append((-score, item))
        best = sorted(found)[:n]
        return [item for _, item in best], [-score for score, _ in best]

    def same_as(self, index) -> None:
        """Fail unless the index holds the same items."""
        ids = sorted(self.codes)
        assert len(index) == len(ids)
        assert index.ids.tolist() == ids
        assert index.reconstruct(ids).tolist() == [self.codes[item] for item in ids]
        if self.labels:
            assert index.labels.tolist() == [self.labels[item] for item in ids]
        else:
            assert index.labels is None


@pytest.fixture
def slow_index() -> SlowIndex:
    return SlowIndex()


@pytest.fixture
def draw_log_probs(rng: np.random.Generator) -> Callable[..., np.ndarray]:
    """Log probabilities of a few values only, so that many scores are equal, or of any value."""

    def draw(*shape: int, tied: bool = False) -> np.ndarray:
        if tied:
            return -rng.integers(0, 3, shape).astype(np.float32)
        return np.log(rng.dirichlet(np.full(shape[-1], 0.5), shape[:-1]) + 1e-9).astype(np.float32)

    return draw
