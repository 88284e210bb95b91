"""What an adapter does for one collection of codes in a database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from dimco.adapters.sparse import SparseQuery, symbols_of
from dimco.errors import DatabaseError, DimcoError, InputError
from dimco.spec import CodeSpec

FIELD = "code_"
"""The field that holds codes is named after them, "code_16x4", so that codes of another shape are never mixed in."""


class Items(NamedTuple):
    """Items as a collection holds them, in any order: ids (N,), symbols (N, d), and a label or None for each."""

    ids: NDArray[np.int64]
    symbols: NDArray[Any]
    labels: list[Any]


class Database(Protocol):
    """One collection of codes of one spec.

    Attributes
    ----------
    spec : CodeSpec
    address : str
    at_once : int
        Items written, read back or removed with one request.
    most_found : int or None
        The most items that one search gives; None where there is no such limit.
    """

    @property
    def spec(self) -> CodeSpec: ...
    @property
    def address(self) -> str: ...
    @property
    def at_once(self) -> int: ...
    @property
    def most_found(self) -> int | None: ...

    def __len__(self) -> int: ...

    def put(self, items: Items) -> None:
        """Write items, over those with the same ids."""
        ...

    def get(self, ids: NDArray[np.int64]) -> Items:
        """Those of the items that are there."""
        ...

    def delete(self, ids: NDArray[np.int64]) -> None:
        """Remove those of the items that are there."""
        ...

    def nearest(self, query: SparseQuery, count: int) -> tuple[Items, NDArray[np.float64]]:
        """The `count` items of the highest inner product, and these products as the database has them."""
        ...

    def settle(self) -> None:
        """Make what was written lasting and quick to search."""
        ...

    def close(self) -> None: ...


def field_of(spec: CodeSpec) -> str:
    """The name of the field that holds codes of this shape."""
    return f"{FIELD}{spec}"


def stored_spec(fields: Iterable[str], collection: str, address: str, expected: CodeSpec | None) -> CodeSpec:
    """The spec of a collection with these fields, which must be the expected one."""
    names = [name.removeprefix(FIELD) for name in fields if name.startswith(FIELD)]
    if len(names) != 1:
        raise InputError(f"expected a collection of dimco codes; {collection} at {address} is another one")
    spec = CodeSpec.parse(names[0])
    if expected is not None and spec != expected:
        raise InputError(f"expected a collection of codes of {expected}; {collection} at {address} is of {spec}")
    return spec


def refuse_missing(spec: CodeSpec | None, collection: str, address: str) -> CodeSpec:
    """The spec to make a collection of, where there is none yet."""
    if spec is None:
        raise DatabaseError(f"expected a collection {collection} at {address}; there is none: push an index there")
    return spec


def refuse_large(spec: CodeSpec, most: int, engine: str) -> None:
    """Raise `InputError` if codes of this shape have more dimensions than the adapter takes."""
    if spec.k * spec.d > most:
        got = f"{spec} has {spec.k * spec.d:,}"
        raise InputError(f"expected a code of k * d up to {most:,} for {engine}; {got}")


def items_of(ids: list[int], dimensions: list[list[int]], labels: list[Any], spec: CodeSpec) -> Items:
    """Items from the dimensions where their codes are one."""
    symbols = symbols_of(np.array(dimensions, np.int64).reshape(-1, spec.d), spec)
    return Items(np.array(ids, np.int64), symbols, labels)


@contextmanager
def speaking_to(engine: str, address: str) -> Iterator[None]:
    """Whatever a client raises becomes one line that names the address."""
    try:
        yield
    except DimcoError:
        raise
    except Exception as error:
        said = " ".join(str(error).split()) or type(error).__name__
        raise DatabaseError(f"{engine} at {address} failed: {said[:300]}") from error
