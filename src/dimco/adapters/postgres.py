"""Codes in Postgres, as sparse vectors of its extension pgvector, scanned without an index, which is exact."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from numpy.typing import NDArray

from dimco.adapters.database import (
    Items,
    field_of,
    items_of,
    refuse_large,
    refuse_missing,
    speaking_to,
    stored_spec,
)
from dimco.adapters.sparse import SparseQuery, dimensions_of
from dimco.extras import require
from dimco.spec import CodeSpec

MOST_DIMENSIONS = 16_000
"""A sparse vector of pgvector has at most 16,000 numbers that are not zero, and a query has up to k * d."""
_SECONDS = 10


class Postgres:
    """A table in a database such as postgresql://user@host/name."""

    engine = "postgres"
    at_once = 2_000
    most_found = None

    def __init__(self, at: str, collection: str, spec: CodeSpec | None) -> None:
        psycopg, self._sql = require("psycopg"), require("psycopg.sql")
        shown = _without_password(at)
        self.address = f"{shown}/{collection}"
        with speaking_to(self.engine, shown):
            self._connection = psycopg.connect(at, connect_timeout=_SECONDS)
            rows = self._ask(
                "select column_name from information_schema.columns "
                "where table_schema = current_schema() and table_name = %s",
                [collection],
            )
            self._table = self._sql.Identifier(collection)
            if rows:
                self.spec = stored_spec([name for (name,) in rows], collection, shown, spec)
            else:
                self.spec = refuse_missing(spec, collection, shown)
                refuse_large(self.spec, MOST_DIMENSIONS, self.engine)
        self._field = self._sql.Identifier(field_of(self.spec))
        if not rows:
            self._create()

    def __len__(self) -> int:
        with speaking_to(self.engine, self.address):
            return int(self._ask("select count(*) from {table}")[0][0])

    def put(self, items: Items) -> None:
        """Write items, over those with the same ids."""
        dimensions = dimensions_of(items.symbols, self.spec).tolist()
        codes = [self._vector(some, [1] * self.spec.d) for some in dimensions]
        statement = self._statement(
            "insert into {table} (id, {field}, label) select * from "
            "unnest(%s::bigint[], %s::sparsevec[], %s::text[]) "
            "on conflict (id) do update set {field} = excluded.{field}, label = excluded.label"
        )
        labels = [json.dumps(label) for label in items.labels]
        with speaking_to(self.engine, self.address), self._connection.transaction():
            self._connection.execute(statement, [items.ids.tolist(), codes, labels])

    def get(self, ids: NDArray[np.int64]) -> Items:
        """Those of the items that are there."""
        with speaking_to(self.engine, self.address):
            return self._items(
                self._ask("select id, {field}::text, label from {table} where id = any(%s)", [ids.tolist()])
            )

    def delete(self, ids: NDArray[np.int64]) -> None:
        """Remove those of the items that are there."""
        with speaking_to(self.engine, self.address), self._connection.transaction():
            self._connection.execute(self._statement("delete from {table} where id = any(%s)"), [ids.tolist()])

    def nearest(self, query: SparseQuery, count: int) -> tuple[Items, NDArray[np.float64]]:
        """The `count` items of the highest inner product, and these products."""
        vector = self._vector(query.dimensions.tolist(), [repr(float(weight)) for weight in query.weights])
        with speaking_to(self.engine, self.address):
            rows = self._ask(
                "select id, {field}::text, label, -({field} <#> %s::sparsevec) as product "
                "from {table} order by product desc limit %s",
                [vector, count],
            )
        return self._items([row[:3] for row in rows]), np.array([row[3] for row in rows])

    def settle(self) -> None:
        """Nothing is left to do: every write is a transaction."""

    def close(self) -> None:
        """Let go of the server."""
        self._connection.close()

    def _create(self) -> None:
        made = "create table {table} (id bigint primary key, {field} sparsevec(%d) not null, label text not null)"
        with speaking_to(self.engine, self.address), self._connection.transaction():
            self._connection.execute("create extension if not exists vector")
            self._connection.execute(self._statement(made % (self.spec.k * self.spec.d)))

    def _ask(self, query: str, values: list[Any] | None = None) -> list[Any]:
        with self._connection.transaction():
            rows: list[Any] = self._connection.execute(self._statement(query), values).fetchall()
        return rows

    def _statement(self, text: str) -> Any:
        names = {name: getattr(self, f"_{name}") for name in ("table", "field") if f"{{{name}}}" in text}
        return self._sql.SQL(text).format(**names)

    def _vector(self, dimensions: list[int], weights: list[Any]) -> str:
        """As pgvector reads it; it counts dimensions from one."""
        entries = ",".join(f"{place + 1}:{weight}" for place, weight in zip(dimensions, weights, strict=True))
        return f"{{{entries}}}/{self.spec.k * self.spec.d}"

    def _items(self, rows: list[Any]) -> Items:
        entries = [code[1 : code.index("}")].split(",") for _, code, _ in rows]
        dimensions = [[int(entry.partition(":")[0]) - 1 for entry in some] for some in entries]
        return items_of([row[0] for row in rows], dimensions, [json.loads(row[2]) for row in rows], self.spec)


def _without_password(at: str) -> str:
    """The address as it may be shown."""
    parts = urlsplit(at)
    if not parts.scheme or parts.password is None:
        return at
    return parts._replace(netloc=parts.netloc.replace(f":{parts.password}@", "@")).geturl()
