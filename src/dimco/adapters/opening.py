"""The collection at an address, whichever database that is of."""

from __future__ import annotations

import re
from typing import Literal

from dimco.adapters.collection import Collection
from dimco.adapters.database import Database
from dimco.errors import InputError
from dimco.spec import CodeSpec

Engine = Literal["qdrant", "milvus", "postgres"]

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}")


def open_collection(engine: Engine, at: str, name: str, spec: CodeSpec | None = None) -> Collection:
    """A collection of codes in a database.

    Parameters
    ----------
    engine : {"qdrant", "milvus", "postgres"}
    at : str
        For qdrant a folder, for its embedded engine, or the address of a server; for milvus a path that ends in .db,
        for its embedded form, or the address of a server; for postgres the address of a database.
    name : str
        Letters, digits and underscores.
    spec : CodeSpec, optional
        Makes the collection if there is none; if there is one, it must be of this spec.

    Raises
    ------
    DatabaseError
        The database cannot be reached, or there is no such collection and no `spec`.
    """
    if not _NAME.fullmatch(name):
        raise InputError(f"expected a collection named in letters, digits and underscores; got {name!r}")
    return Collection(_database(engine, at, name, spec))


def _database(engine: Engine, at: str, name: str, spec: CodeSpec | None) -> Database:
    if engine == "qdrant" and (at.startswith("http") or at == ":memory:"):
        from dimco.adapters.qdrant import Qdrant

        return Qdrant(at, name, spec)
    if engine == "qdrant":
        from dimco.adapters.qdrant_edge import QdrantEdge

        return QdrantEdge(at, name, spec)
    if engine == "milvus":
        from dimco.adapters.milvus import Milvus

        return Milvus(at, name, spec)
    if engine == "postgres":
        from dimco.adapters.postgres import Postgres

        return Postgres(at, name, spec)
    raise InputError(f'expected "qdrant", "milvus" or "postgres"; got {engine!r}')
