"""Codes in Milvus: its embedded form in a file, or a server."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

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
from dimco.errors import DatabaseError
from dimco.extras import require
from dimco.spec import CodeSpec

MOST_DIMENSIONS = 1 << 20
_SECONDS = 20
_MOST_LABEL = 65_535
_EMBEDDED = {"grpc_options": {"grpc.keepalive_time_ms": 600_000}}
"""By itself the client asks every 10 seconds whether the server is there; the embedded one refuses that on stderr."""


class Milvus:
    """A collection at an address such as http://localhost:19530, or in a path that ends in .db."""

    engine = "milvus"
    at_once = 1_000
    most_found = 16_384

    def __init__(self, at: str, collection: str, spec: CodeSpec | None) -> None:
        pymilvus = require("pymilvus")
        self._collection, self.address = collection, f"{at}/{collection}"
        options: dict[str, Any] = {}
        if "://" not in at:
            _check_path(at, spec, collection)
            options = _EMBEDDED
        with speaking_to(self.engine, at):
            self._client = pymilvus.MilvusClient(at, timeout=_SECONDS, **options)
            if self._client.has_collection(collection):
                fields = [field["name"] for field in self._client.describe_collection(collection)["fields"]]
                self.spec = stored_spec(fields, collection, at, spec)
                self._client.load_collection(collection)
            else:
                self.spec = refuse_missing(spec, collection, at)
                refuse_large(self.spec, MOST_DIMENSIONS, self.engine)
                self._create(pymilvus.DataType)
        self._field = field_of(self.spec)

    def __len__(self) -> int:
        with speaking_to(self.engine, self.address):
            return int(self._client.query(self._collection, filter="", output_fields=["count(*)"])[0]["count(*)"])

    def put(self, items: Items) -> None:
        """Write items, over those with the same ids."""
        rows = zip(items.ids.tolist(), dimensions_of(items.symbols, self.spec).tolist(), items.labels, strict=True)
        written = [
            {"id": item, self._field: dict.fromkeys(dimensions, 1.0), "label": json.dumps(label)}
            for item, dimensions, label in rows
        ]
        with speaking_to(self.engine, self.address):
            self._client.upsert(self._collection, written)

    def get(self, ids: NDArray[np.int64]) -> Items:
        """Those of the items that are there."""
        with speaking_to(self.engine, self.address):
            return self._items(self._client.get(self._collection, ids.tolist(), output_fields=self._columns))

    def delete(self, ids: NDArray[np.int64]) -> None:
        """Remove those of the items that are there."""
        with speaking_to(self.engine, self.address):
            self._client.delete(self._collection, ids=ids.tolist())

    def nearest(self, query: SparseQuery, count: int) -> tuple[Items, NDArray[np.float64]]:
        """The `count` items of the highest inner product, and these products."""
        vector = dict(zip(query.dimensions.tolist(), query.weights.tolist(), strict=True))
        with speaking_to(self.engine, self.address):
            (found,) = self._client.search(
                self._collection,
                data=[vector],
                anns_field=self._field,
                limit=count,
                output_fields=self._columns,
                search_params={"metric_type": "IP"},
            )
        return self._items([hit["entity"] for hit in found]), np.array([hit["distance"] for hit in found])

    def settle(self) -> None:
        """Make what was written lasting."""
        with speaking_to(self.engine, self.address):
            self._client.flush(self._collection)

    def close(self) -> None:
        """Let go of the database."""
        self._client.close()

    @property
    def _columns(self) -> list[str]:
        return ["id", self._field, "label"]

    def _create(self, types: Any) -> None:
        schema = self._client.create_schema(auto_id=False, enable_dynamic_field=False)
        schema.add_field("id", types.INT64, is_primary=True)
        schema.add_field(field_of(self.spec), types.SPARSE_FLOAT_VECTOR)
        schema.add_field("label", types.VARCHAR, max_length=_MOST_LABEL)
        index = self._client.prepare_index_params()
        index.add_index(field_of(self.spec), index_type="SPARSE_INVERTED_INDEX", metric_type="IP")
        self._client.create_collection(self._collection, schema=schema, index_params=index, consistency_level="Strong")

    def _items(self, rows: Sequence[Any]) -> Items:
        dimensions = [list(row[self._field]) for row in rows]
        return items_of([row["id"] for row in rows], dimensions, [json.loads(row["label"]) for row in rows], self.spec)


def _check_path(at: str, spec: CodeSpec | None, collection: str) -> None:
    """Refuse what the embedded form would make of a wrong path: a new database, or an odd error."""
    if not at.endswith(".db"):
        raise DatabaseError(f"cannot reach milvus at {at}: expected an address, or a path that ends in .db")
    if not Path(at).parent.is_dir():
        raise DatabaseError(f"cannot reach milvus at {at}: no folder {Path(at).parent}")
    if not Path(at).exists():
        refuse_missing(spec, collection, at)
