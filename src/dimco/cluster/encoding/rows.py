"""What goes from the reading of a collection to its encoding: the items of one part, and work that reads some parts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from numpy.typing import NDArray

BYTES_AT_ONCE = 64 << 20


@dataclass(frozen=True)
class Rows:
    """The items of one part.

    Attributes
    ----------
    part : int
        Which part of the collection.
    x : ndarray of shape (n, ...)
        What the model takes of them.
    kept : pyarrow.Table
        The columns that stand beside their codes: id, label if there are any, file of pictures.
    skipped : tuple of str
        A line for each item that was passed over, as it cannot be read.
    """

    part: int
    x: NDArray[Any]
    kept: Any
    skipped: tuple[str, ...] = ()


class Written(NamedTuple):
    """A part that is there now, and a line for each of its items that was passed over."""

    part: int
    skipped: tuple[str, ...]


class Task(Protocol):
    """Some parts that are read together.

    Attributes
    ----------
    first_part : int
    """

    @property
    def first_part(self) -> int: ...

    def read(self) -> Iterator[Rows]:
        """The parts, one after the other, with never much more than one in memory."""


class Source(Protocol):
    """A collection, cut into parts in a way that depends on nothing but the collection.

    Attributes
    ----------
    record : dict
        What tells it from other collections, as JSON.
    items : int
    sizes : list of int
        Items of each part.
    batch_size : int
        Items that the model takes at a time; parts begin where batches do.
    """

    record: dict[str, Any]
    items: int
    sizes: list[int]
    batch_size: int

    def tasks(self, finished: set[int]) -> list[Task]:
        """Work that reads all parts but the finished ones."""


def batches_a_part(batch_size: int, item_bytes: int, most_items: int) -> int:
    """Items of a part: as many batches as take a bounded memory, and at least one."""
    fitting = min(BYTES_AT_ONCE // max(1, item_bytes), most_items)
    return batch_size * max(1, fitting // batch_size)
