"""Collection: all the explorer shows, held together: an index, its model, and what is known of the items."""

from __future__ import annotations

import zlib
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dimco.codebook import Codebook
from dimco.errors import InputError
from dimco.model import CodeModel
from dimco.picture_routes import PictureRoute
from dimco.search.index import CodeIndex
from dimco.search.searchable import Searchable
from dimco.web.codewords import Codewords
from dimco.web.pictures import Pictures
from dimco.web.stored_codes import StoredCodes
from dimco.web.stored_codewords import StoredCodewords

_COMPARED = 2_000
_MOST_DIFFERENT = 0.01


class Collection:
    """Stored items with the model that coded them.

    An item's id is its row in the data and its place among the pictures.

    Parameters
    ----------
    model : CodeModel
    index : CodeIndex or ShardedIndex
    data : array of shape (M, ...), optional
        Features; without them the stored codes are all that is known, and every symbol counts as certain.
    classes : list of str, optional
        Names of the labels 0, 1, ...
    pictures : Pictures, optional
    route : PictureRoute, optional
        How a dropped picture reaches the model.

    Attributes
    ----------
    ids : ndarray of int64, shape (N,)
        Increasing; an item's place is its position here, and its row in `codebook`.
    codebook : Codebook
    codewords : Codewords or StoredCodewords
    showing : ndarray of shape (d, k)
        The place of the item with the highest p of each symbol.
    labels : list of str, or None
        One an item.
    version : str
        Changes with the codes, ids and labels.
    """

    def __init__(
        self,
        model: CodeModel,
        index: Searchable,
        data: Any | None = None,
        classes: list[str] | None = None,
        pictures: Pictures | None = None,
        route: PictureRoute | None = None,
    ) -> None:
        if len(index) == 0:
            raise InputError("expected an index with items to show; it is empty")
        self.model, self.pictures, self.route = model, pictures, route
        self.ids = index.ids
        self.symbols = index.reconstruct(self.ids)
        for what, there in (("data", data), ("images", pictures)):
            if there is not None and self.ids[-1] >= len(there):
                raise InputError(
                    f"expected {what} with a row for each id of the index, up to {self.ids[-1]}; got {len(there)} rows"
                )
        self._data = data
        labels = index.labels
        named = _usable_names(labels, classes)
        if data is None:
            stand_in = cast(CodeModel, StoredCodes(index.spec))
            self.codebook = Codebook(stand_in, self.symbols, labels, named)
        else:
            _refuse_other_data(model, data, self.ids, self.symbols)
            rows = data if len(data) == len(self.ids) else data[self.ids]
            self.codebook = Codebook(model, rows, labels, named)
        self.showing = self.codebook.examples(1)[..., 0]
        self.codewords = (
            Codewords(self.symbols, index.spec)
            if isinstance(index, CodeIndex)
            else StoredCodewords(self.symbols, self.ids, index)
        )
        self.version = _fingerprint(self.ids, self.symbols, labels)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def sure(self) -> bool:
        """Whether symbols have probabilities: with data they do, from codes alone they do not."""
        return self._data is not None

    def place(self, item: int) -> int | None:
        """Where an id stands among the items; None if no item has it."""
        found = int(np.searchsorted(self.ids, item))
        return found if found < len(self.ids) and self.ids[found] == item else None

    def label(self, place: int) -> str | None:
        """The name of an item's class."""
        labels = self.codebook.labels
        return None if labels is None else str(self.codebook.classes[labels[place]])

    def tables(self, places: NDArray[np.int64]) -> Tensor:
        """What each symbol at each position adds to the score of items asked for, (len(places), d, k)."""
        if self._data is None:
            return StoredCodes(self.codebook.spec).tables(self.symbols[places])
        return self.model.log_probs(self._data[self.ids[places]])

    def values(self, place: int, most: int) -> list[float] | None:
        """The first features of an item, where there are data and no pictures."""
        if self._data is None or self.pictures is not None:
            return None
        row = np.asarray(self._data[self.ids[place]]).reshape(-1)[:most]
        return [float(value) for value in row]

    def encode(self, features: Any) -> Tensor:
        """log p of one item given as features, (d, k)."""
        with torch.inference_mode():
            return self.model.log_probs(features)[0]


def _usable_names(labels: Any, classes: list[str] | None) -> list[str] | None:
    """The names, if the labels are places among them."""
    if classes is None or labels is None or labels.dtype.kind != "i":
        return None
    return classes if labels.min() >= 0 and labels.max() < len(classes) else None


def _refuse_other_data(model: CodeModel, data: Any, ids: NDArray[np.int64], symbols: NDArray[Any]) -> None:
    """Raise `InputError` unless the model gives rows of the data the codes that the index holds."""
    some = np.unique(np.linspace(0, len(ids) - 1, _COMPARED).astype(np.int64))
    different = (model.encode(data[ids[some]]).unpack() != symbols[some]).any(1)
    if different.mean() > _MOST_DIFFERENT:
        raise InputError(
            f"expected the data and model that the index was built from; {different.sum()} of {len(some)} rows "
            "get other codes"
        )


def _fingerprint(ids: NDArray[np.int64], symbols: NDArray[Any], labels: Any) -> str:
    value = zlib.crc32(symbols.tobytes(), zlib.crc32(ids.tobytes()))
    return f"{value if labels is None else zlib.crc32(labels.tobytes(), value):08x}"
