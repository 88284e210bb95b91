"""Codebook: what the symbols of a model mean on a data set."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dimco.codebook import measures
from dimco.codebook.log_odds import LogOdds, log_p
from dimco.codebook.measures import TotalCorrelation
from dimco.codebook.pages import Combination, SymbolPage, Symbols, check_symbol, symbol_pairs
from dimco.codebook.ranking import Best
from dimco.codes import Codes
from dimco.errors import InputError
from dimco.inputs import check_labels
from dimco.metrics import symbol_usage
from dimco.model import CodeModel

_BITS = 1 / math.log(2)


class Codebook:
    """The symbols of a fitted model, and the items and classes that they stand for.

    Parameters
    ----------
    model : CodeModel
    x : array, memory-mapped array or Tensor of shape (N, ...)
        Read in batches, and again for each question about items when their probabilities are not kept.
    labels : array-like of shape (N,), optional
        Integers or strings; without them there is no information, lift or histogram.
    classes : sequence, optional
        Names of the classes 0, 1, ...; by default the labels name themselves.
    keep_bytes : int, default=2**28
        Probabilities are kept, as float16, if they take at most this: 100,000 items of 16x16 take 51 million bytes.
    batch_size : int, default=8192

    Attributes
    ----------
    spec : CodeSpec
    codes : Codes
        The stored codes of the items.
    labels : ndarray of shape (N,), int64, or None
        Class indices.
    classes : list
        Names of the classes; empty without labels.
    usage : ndarray of shape (d, k)
        How many items are given each symbol.
    class_counts : ndarray of shape (d, k, classes)
        How many of them are of each class.

    Examples
    --------
    >>> from dimco.backbones import Standardize
    >>> from dimco.heads import LinearHead
    >>> from dimco.spec import CodeSpec
    >>> model = CodeModel(Standardize(3), LinearHead(3, CodeSpec(k=4, d=2)))
    >>> codebook = Codebook(model, np.eye(3), ["ash", "birch", "cedar"])
    >>> len(codebook.summary())
    8
    """

    def __init__(
        self,
        model: CodeModel,
        x: Any,
        labels: ArrayLike | None = None,
        classes: Sequence[Any] | None = None,
        *,
        keep_bytes: int = 1 << 28,
        batch_size: int = 8_192,
    ) -> None:
        items = x if hasattr(x, "shape") else np.asarray(x)
        self.spec = model.spec
        self.classes, self.labels = _named_labels(labels, classes, len(items))
        self._log_odds = LogOdds(model, items, keep_bytes, batch_size)
        self.codes = Codes(self._log_odds.symbols, self.spec)
        self.usage = symbol_usage(self.codes)
        self.class_counts = self._count_classes()

    def __len__(self) -> int:
        return len(self.codes)

    def summary(self, top: int = 3) -> list[dict[str, Any]]:
        """One record a symbol, position by position.

        Parameters
        ----------
        top : int, default=3
            How many classes to name.

        Returns
        -------
        list of dict
            `position`, `symbol`, `items`, `usage` (share of all items), `dead`, and with labels `information` (bits
            that "has this symbol", yes or no, tells about the label) and `top_classes`, the most frequent classes
            among the symbol's items, each with `class`, `share` of those items and `lift` (how many times more
            frequent than among all items).
        """
        information = measures.symbol_information(self.class_counts) * _BITS if self.classes else None
        lift = measures.class_lift(self.class_counts)
        records = []
        for position, symbol in np.ndindex(self.spec.d, self.spec.k):
            items = int(self.usage[position, symbol])
            record = {"position": position, "symbol": symbol, "items": items, "usage": items / len(self)}
            record["dead"] = items == 0
            if information is not None:
                counts = self.class_counts[position, symbol]
                record["information"] = float(information[position, symbol])
                record["top_classes"] = [
                    {
                        "class": self.classes[c],
                        "share": float(counts[c] / items),
                        "lift": float(lift[position, symbol, c]),
                    }
                    for c in _most_frequent(counts)[:top]
                ]
            records.append(record)
        return records

    def symbol(self, position: int, symbol: int, top: int = 10) -> SymbolPage:
        """One symbol: the items with the highest p_ij, and the classes of the items given it."""
        check_symbol(self.spec, position, symbol)
        best = self._best([(position, symbol)], [], top)
        counts = self.class_counts[position, symbol]
        given = int(self.usage[position, symbol])
        return SymbolPage(position, symbol, best.items[0], np.exp(best.scores[0]), given, self._histogram(counts))

    def combine(
        self, wanted: Symbols, without: Mapping[int, int | list[int]] | None = None, top: int = 10
    ) -> Combination:
        """Several symbols together (figure 2): `combine({2: 5, 4: 1})` is symbol 5 at position 2 and 1 at position 4.

        Parameters
        ----------
        wanted : mapping of int to int
            Position to symbol. Items are ranked by the sum of log p.
        without : mapping of int to int or list of int, optional
            Position to the symbol, or symbols, that items are not to have; each adds log(1 - p) to the score.
        top : int, default=10
        """
        pairs, excluded = symbol_pairs(self.spec, wanted, without)
        best = self._best(pairs, excluded, top)
        symbols = self.codes.unpack()
        match = np.ones(len(self), dtype=bool)
        for position, symbol in pairs:
            match &= symbols[:, position] == symbol
        for position, symbol in excluded:
            match &= symbols[:, position] != symbol
        counts = (
            np.bincount(self.labels[match], minlength=len(self.classes)) if self.labels is not None else np.empty(0)
        )
        return Combination(best.items[0], best.scores[0], int(match.sum()), self._histogram(counts))

    def examples(self, top: int = 10) -> NDArray[np.int64]:
        """The items with the highest p_ij of every symbol in one pass, (d, k, at most `top`), highest first."""
        _check_top(top)
        best = Best(self.spec.d * self.spec.k, top)
        for first, piece in self._log_odds.pieces():
            best.add(first, piece.reshape(len(piece), -1).T)
        return best.items.reshape(self.spec.d, self.spec.k, -1)

    def position_information(self) -> NDArray[np.float64]:
        """I(X_i; Y) of each position's stored symbol and the label, in bits, (d,)."""
        if not self.classes:
            raise InputError("expected labels for the information about them; got none")
        return measures.position_information(self.class_counts) * _BITS

    def pairwise_information(self) -> NDArray[np.float64]:
        """I(X_i; X_j) of the stored symbols in bits, (d, d); the diagonal is H(X_i)."""
        return measures.pairwise_information(self.codes.unpack(), self.spec.k) * _BITS

    def total_correlation(self) -> TotalCorrelation:
        """How much the positions repeat each other, in bits; see `TotalCorrelation` for when it can be trusted."""
        return measures.total_correlation(self.codes.unpack())

    def _best(self, pairs: list[tuple[int, int]], excluded: list[tuple[int, int]], top: int) -> Best:
        _check_top(top)
        best = Best(1, top)
        for first, piece in self._log_odds.pieces():
            scores = np.zeros(len(piece))
            for position, symbol in pairs:
                scores += log_p(piece[:, position, symbol])
            for position, symbol in excluded:
                scores += log_p(-piece[:, position, symbol])
            best.add(first, scores[None])
        return best

    def _count_classes(self) -> NDArray[np.int64]:
        """Items of each class given each symbol, (d, k, classes)."""
        d, k, classes = self.spec.d, self.spec.k, len(self.classes)
        counts = np.zeros((d, k * classes), dtype=np.int64)
        if self.labels is not None:
            for position, column in enumerate(self.codes.unpack().T):
                cells = column.astype(np.int64) * classes + self.labels
                counts[position] = np.bincount(cells, minlength=k * classes)
        return counts.reshape(d, k, classes)

    def _histogram(self, counts: NDArray[Any]) -> dict[Any, int]:
        return {self.classes[c]: int(counts[c]) for c in _most_frequent(counts)}


def _named_labels(
    labels: ArrayLike | None, classes: Sequence[Any] | None, items: int
) -> tuple[list[Any], NDArray[np.int64] | None]:
    """Names of the classes, and each item's class index."""
    if labels is None:
        return [], None
    given = check_labels(labels, items)
    if classes is None:
        values, indices = np.unique(given, return_inverse=True)
        return values.tolist(), indices.astype(np.int64)
    if given.dtype.kind not in "iub" or given.min() < 0 or given.max() >= len(classes):
        found = np.unique(given)
        raise InputError(
            f"expected labels from 0 to {len(classes) - 1}, one for each class name; got {found[0]} to {found[-1]}"
        )
    return [str(name) for name in classes], given.astype(np.int64)


def _most_frequent(counts: NDArray[Any]) -> list[int]:
    """Places of the counts above zero, the highest first."""
    order = np.argsort(-counts, kind="stable")
    return [int(place) for place in order if counts[place] > 0]


def _check_top(top: int) -> None:
    if top < 1:
        raise InputError(f"expected at least 1 item to show; got {top}")
