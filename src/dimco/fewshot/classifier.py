"""DimcoFewShot: classes from a few examples each, by a trained model, without training."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from dimco.errors import InputError
from dimco.fewshot.rules import Rule, RuleName
from dimco.inputs import encode_labels
from dimco.model import CodeModel

_BATCH = 256


class DimcoFewShot:
    """Learn classes that the model never saw from one or a few examples of each.

    Nothing is trained: the examples are encoded, and a query belongs to the class that the rule scores highest.

    Parameters
    ----------
    model : CodeModel
        Trained on other classes of the same kind of items.
    rule : Rule or str, default="mean"
        How the examples of a class decide, see `dimco.fewshot.rules.Rule`. "nearest" is the paper's; "product" and
        "counts" store codes alone as well; "mean", "match" and "centroid" store the distributions.
    batch_size : int, default=256
        Items at a time.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    stored_ : Tensor of shape (S, d) or (S, d, k)
        What the rule keeps of the examples.

    Examples
    --------
    >>> from dimco.backbones import Standardize
    >>> from dimco.heads import LinearHead
    >>> from dimco.spec import CodeSpec
    >>> x = np.eye(4, dtype=np.float32)
    >>> model = CodeModel(Standardize(4), LinearHead(4, CodeSpec(k=8, d=16)))
    >>> fewshot = DimcoFewShot(model).fit(x, ["cat", "dog", "cow", "hen"])
    >>> fewshot.predict(x).tolist()
    ['cat', 'dog', 'cow', 'hen']
    """

    classes_: NDArray[Any]
    stored_: Tensor

    def __init__(self, model: CodeModel, rule: Rule | RuleName = "mean", batch_size: int = _BATCH) -> None:
        if batch_size < 1:
            raise InputError(f"expected a batch of at least 1 item; got {batch_size}")
        self.model, self.batch_size = model, batch_size
        self.rule = rule if isinstance(rule, Rule) else Rule(rule)

    def fit(self, support: ArrayLike | Tensor, labels: ArrayLike) -> Self:
        """Store examples.

        Parameters
        ----------
        support : array or Tensor of shape (S, ...)
            Images or features, as the model takes them.
        labels : array-like of shape (S,)
            Their classes, of any type; at least two different ones.
        """
        support = support if isinstance(support, Tensor) else np.asanyarray(support)
        classes, places = encode_labels(labels, len(support))
        self.stored_ = self.rule.stored(self.model.log_probs(support, self.batch_size))
        self.classes_, self._places = classes, torch.from_numpy(places)
        return self

    def scores(self, query: ArrayLike | Tensor) -> NDArray[np.float32]:
        """The score of each class for each query, (Q, n_classes), in the order of `classes_`."""
        if not hasattr(self, "classes_"):
            raise InputError("expected examples to compare with: call fit(support, labels) first")
        query = query if isinstance(query, Tensor) else np.asanyarray(query)
        parts = []
        for start in range(0, max(1, len(query)), self.batch_size):
            asked = self.rule.asked(self.model.log_probs(query[start : start + self.batch_size], self.batch_size))
            parts.append(self.rule.scores(self.stored_, self._places, asked, len(self.classes_)))
        return torch.cat(parts).numpy()

    def predict(self, query: ArrayLike | Tensor) -> NDArray[Any]:
        """The class of each query, (Q,); of two that score equal, the one that is first in `classes_`."""
        best = self.scores(query).argmax(1)
        return np.asarray(self.classes_[best])
