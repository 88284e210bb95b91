"""Labels of items: integers as they are, strings as places in a list of names that only grows."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from dimco.errors import DamagedFileError, InputError

LabelKind = Literal["int", "str"]
Labels = NDArray[Any]

_FEW = 64


def read_labels(labels: Any) -> tuple[LabelKind, Labels]:
    """Labels a caller passed, as a flat array of int64 or of strings."""
    if not isinstance(labels, np.ndarray) or labels.dtype == object:
        labels = labels.tolist() if hasattr(labels, "tolist") else list(labels)
        kinds = {str if isinstance(label, str) else int if _is_integer(label) else type(label) for label in labels}
        if not kinds <= {str} and not kinds <= {int}:
            names = " and ".join(sorted(kind.__name__ for kind in kinds))
            raise InputError(f"expected labels that are all integers or all strings; got {names}")
        labels = np.array(labels, dtype=np.str_ if str in kinds else object)
        if labels.dtype == object:
            return "int", _as_int64(labels)
    if labels.dtype.kind == "U":
        return "str", labels
    if labels.dtype.kind not in "iu":
        raise InputError(f"expected labels that are integers or strings; got {labels.dtype}")
    return "int", _as_int64(labels)


def _is_integer(label: Any) -> bool:
    return isinstance(label, (int, np.integer)) and not isinstance(label, bool)


def _as_int64(labels: Labels) -> NDArray[np.int64]:
    limits = np.iinfo(np.int64)
    if labels.size and not (limits.min <= labels.min() and labels.max() <= limits.max):
        raise InputError(f"expected labels of at most 64 bits; got {labels.min()} to {labels.max()}")
    return labels.astype(np.int64)


class LabelNames:
    """The strings that label items, each at a place that never changes; read from a file when first needed.

    Parameters
    ----------
    load : callable, optional
        Gives the names known at the start.
    """

    def __init__(self, load: Callable[[], list[str]] | None = None) -> None:
        self._load = load
        self._lock = threading.Lock()
        self._names: list[str] = []
        self._places: dict[str, int] = {}

    def __len__(self) -> int:
        self._ready()
        return len(self._names)

    def added(self, labels: Labels) -> NDArray[np.int32]:
        """The places of labels, after adding those that are new. One thread at a time."""
        self._ready()
        distinct, inverse = np.unique(labels, return_inverse=True)
        for name in distinct.tolist():
            if name not in self._places:
                self._places[name] = len(self._names)
                self._names.append(name)
        return np.array([self._places[name] for name in distinct.tolist()], dtype=np.int32)[inverse]

    def found(self, labels: Labels) -> NDArray[np.int32]:
        """The places of those labels that are known."""
        self._ready()
        places = (self._places.get(name) for name in np.unique(labels).tolist())
        return np.array([place for place in places if place is not None], dtype=np.int32)

    def decoded(self, places: NDArray[np.int32]) -> Labels:
        """The labels at places."""
        self._ready()
        if places.size <= _FEW:
            return self._named(places.reshape(-1).tolist()).reshape(places.shape)
        distinct, inverse = np.unique(places, return_inverse=True)
        return self._named(distinct.tolist())[inverse].reshape(places.shape)

    def _named(self, places: list[int]) -> Labels:
        if places and not 0 <= min(places) <= max(places) < len(self._names):
            raise DamagedFileError("the index is damaged: a label stands at a place that has no name")
        return np.array([self._names[place] for place in places], dtype=np.str_)

    def since(self, start: int) -> Sequence[str]:
        """The names from a place on."""
        self._ready()
        return self._names[start:]

    def _ready(self) -> None:
        if self._load is None:
            return
        with self._lock:
            if self._load is not None:
                names = self._load()
                self._names.extend(names)
                self._places.update((name, place) for place, name in enumerate(names))
                self._load = None
