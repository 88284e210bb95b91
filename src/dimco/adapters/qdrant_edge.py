"""Codes in a folder of Qdrant's embedded engine."""

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
_CONFIG = "edge_config.json"


class QdrantEdge:
    """A collection in a folder of its own in the folder `at`; one process at a time may have it open."""

    engine = "qdrant"
    at_once = 2_000
    most_found = None

    def __init__(self, at: str, collection: str, spec: CodeSpec | None) -> None:
        edge = self._edge = require("qdrant_edge")
        folder = Path(at) / collection
        self.address = str(folder)
        with speaking_to(self.engine, self.address):
            if (folder / _CONFIG).is_file():
                fields = json.loads((folder / _CONFIG).read_text(encoding="utf-8"))["sparse_vectors"]
                self.spec = stored_spec(fields, collection, at, spec)
                self._shard = edge.EdgeShard.load(str(folder))
            else:
                self.spec = refuse_missing(spec, collection, at)
                refuse_large(self.spec, MOST_DIMENSIONS, self.engine)
                if not Path(at).is_dir():
                    raise DatabaseError(f"cannot reach qdrant at {at}: no such folder")
                folder.mkdir(exist_ok=True)
                sparse = {field_of(self.spec): edge.EdgeSparseVectorParams()}
                self._shard = edge.EdgeShard.create(str(folder), edge.EdgeConfig(sparse_vectors=sparse))
        self._field = field_of(self.spec)

    def __len__(self) -> int:
        with speaking_to(self.engine, self.address):
            return int(self._shard.count(self._edge.CountRequest(exact=True)))

    def put(self, items: Items) -> None:
        """Write items, over those with the same ids."""
        ones = [1.0] * self.spec.d
        rows = zip(items.ids.tolist(), dimensions_of(items.symbols, self.spec).tolist(), items.labels, strict=True)
        points = [
            self._edge.Point(item, {self._field: self._edge.SparseVector(dimensions, ones)}, {"label": label})
            for item, dimensions, label in rows
        ]
        with speaking_to(self.engine, self.address):
            self._shard.update(self._edge.UpdateOperation.upsert_points(points))

    def get(self, ids: NDArray[np.int64]) -> Items:
        """Those of the items that are there."""
        with speaking_to(self.engine, self.address):
            return self._items(self._shard.retrieve(ids.tolist(), with_payload=True, with_vector=True))

    def delete(self, ids: NDArray[np.int64]) -> None:
        """Remove those of the items that are there."""
        with speaking_to(self.engine, self.address):
            self._shard.update(self._edge.UpdateOperation.delete_points(ids.tolist()))

    def nearest(self, query: SparseQuery, count: int) -> tuple[Items, NDArray[np.float64]]:
        """The `count` items of the highest inner product, and these products."""
        vector = self._edge.SparseVector(query.dimensions.tolist(), query.weights.tolist())
        asked = self._edge.QueryRequest(
            limit=count, query=self._edge.Query.Nearest(vector, using=self._field), with_vector=True, with_payload=True
        )
        with speaking_to(self.engine, self.address):
            found = self._shard.query(asked)
        return self._items(found), np.array([point.score for point in found])

    def settle(self) -> None:
        """Make what was written lasting and quick to search."""
        with speaking_to(self.engine, self.address):
            self._shard.flush()
            self._shard.optimize()

    def close(self) -> None:
        """Let go of the folder."""
        self._shard.close()

    def _items(self, points: Sequence[Any]) -> Items:
        dimensions = [point.vector[self._field].indices for point in points]
        return items_of([point.id for point in points], dimensions, [p.payload["label"] for p in points], self.spec)
