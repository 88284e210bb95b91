"""The classifier's own answer as a code: all that is worth keeping when nothing else is asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import torch
from torch import Tensor

from dimco.baselines.base import TableQuantizer
from dimco.errors import InputError
from dimco.spec import CodeSpec


class OraclePrediction(TableQuantizer):
    """A classifier's prediction stored as a class index, in ceil(log2 classes) bits.

    An item's code is the class predicted for it; the score of a stored class is the log probability the
    classifier gives it for the query (eq. 8 with d = 1). Nothing is learned in `fit`.

    Parameters
    ----------
    classes : int
    predict : callable, optional
        From rows, an array of shape (N, features), to logits or log probabilities of shape (N, classes): the
        last layer of a trained network, or `predict_log_proba`. Without it the rows are the logits.

    Examples
    --------
    >>> logits = [[3.0, 0.0, 1.0], [0.0, 0.0, 9.0]]
    >>> oracle = OraclePrediction(classes=3).fit(logits)
    >>> oracle.encode(logits).unpack().ravel().tolist(), oracle.bits
    ([0, 2], 2)
    """

    name: ClassVar[str] = "oracle"

    def __init__(self, classes: int, predict: Callable[[Any], Any] | None = None) -> None:
        super().__init__(CodeSpec(classes, 1))
        self.predict = predict

    def _fit(self, x: Tensor) -> None:
        self._tables(x[:1])

    def _tables(self, queries: Tensor) -> Tensor:
        logits = torch.as_tensor(queries if self.predict is None else self.predict(queries.numpy())).float()
        expected = (len(queries), self.spec.k)
        if tuple(logits.shape) != expected:
            raise InputError(f"expected logits of shape {expected}; got {tuple(logits.shape)}")
        return logits.detach().log_softmax(1)[:, None]
