"""Codes in a Qdrant server."""

from __future__ import annotations

from collections.abc import Sequence
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
from dimco.adapters.qdrant_edge import MOST_DIMENSIONS
from dimco.adapters.sparse import SparseQuery, dimensions_of
from dimco.extras import require
from dimco.spec import CodeSpec

_IN_MEMORY = ":memory:"
_SECONDS = 30


class Qdrant:
    """A collection of a server at an address such as http://localhost:6333."""

    engine = "qdrant"
    at_once = 1_000
    most_found = None

    def __init__(self, at: str, collection: str, spec: CodeSpec | None) -> None:
        client = require("qdrant_client")
        self._models = client.models
        self._collection, self.address = collection, f"{at}/{collection}"
        with speaking_to(self.engine, at):
            options: dict[str, Any] = {"location": at} if at == _IN_MEMORY else {"url": at, "timeout": _SECONDS}
            self._client = client.QdrantClient(**options, check_compatibility=False)
            if self._client.collection_exists(collection):
                sparse = self._client.get_collection(collection).config.params.sparse_vectors
                self.spec = stored_spec(sparse or {}, collection, at, spec)
            else:
                self.spec = refuse_missing(spec, collection, at)
                refuse_large(self.spec, MOST_DIMENSIONS, self.engine)
                params = {field_of(self.spec): self._models.SparseVectorParams()}
                self._client.create_collection(collection, vectors_config={}, sparse_vectors_config=params)
        self._field = field_of(self.spec)

    def __len__(self) -> int:
        with speaking_to(self.engine, self.address):
            return int(self._client.count(self._collection, exact=True).count)

    def put(self, items: Items) -> None:
        """Write items, over those with the same ids."""
        ones = [1.0] * self.spec.d
        rows = zip(items.ids.tolist(), dimensions_of(items.symbols, self.spec).tolist(), items.labels, strict=True)
        points = [
            self._models.PointStruct(
                id=item,
                vector={self._field: self._models.SparseVector(indices=dimensions, values=ones)},
                payload={"label": label},
            )
            for item, dimensions, label in rows
        ]
        with speaking_to(self.engine, self.address):
            self._client.upsert(self._collection, points, wait=True)

    def get(self, ids: NDArray[np.int64]) -> Items:
        """Those of the items that are there."""
        with speaking_to(self.engine, self.address):
            return self._items(self._client.retrieve(self._collection, ids.tolist(), with_vectors=True))

    def delete(self, ids: NDArray[np.int64]) -> None:
        """Remove those of the items that are there."""
        with speaking_to(self.engine, self.address):
            self._client.delete(self._collection, self._models.PointIdsList(points=ids.tolist()), wait=True)

    def nearest(self, query: SparseQuery, count: int) -> tuple[Items, NDArray[np.float64]]:
        """The `count` items of the highest inner product, and these products."""
        vector = self._models.SparseVector(indices=query.dimensions.tolist(), values=query.weights.tolist())
        with speaking_to(self.engine, self.address):
            found = self._client.query_points(
                self._collection, query=vector, using=self._field, limit=count, with_vectors=True
            ).points
        return self._items(found), np.array([point.score for point in found])

    def settle(self) -> None:
        """Nothing is left to do: every write was waited for."""

    def close(self) -> None:
        """Let go of the server."""
        self._client.close()

    def _items(self, points: Sequence[Any]) -> Items:
        dimensions = [point.vector[self._field].indices for point in points]
        return items_of([point.id for point in points], dimensions, [p.payload["label"] for p in points], self.spec)
