"""Routes that ask for neighbours: of a stored item, of a vector, of a picture."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Body, HTTPException, Request
from pydantic import FiniteFloat
from starlette.concurrency import run_in_threadpool

from dimco.web.answers import QueryAnswer
from dimco.web.collection import Collection
from dimco.web.querying import query_answer
from dimco.web.routes.items import find
from dimco.web.routes.parameters import Count, Each, ItemId
from dimco.web.uploads import FORMATS, read_picture

_WIDEST = 65_536
_PICTURE_BODY = {
    "requestBody": {
        "required": True,
        "content": {kind: {"schema": {"type": "string", "format": "binary"}} for kind in FORMATS},
    }
}

Vector = Annotated[
    list[FiniteFloat],
    Body(embed=True, min_length=1, max_length=_WIDEST, description="The features of one item."),
]


def router(collection: Collection, summary: list[dict[str, Any]]) -> APIRouter:
    """Routes over a collection and its `Codebook.summary`."""
    made = APIRouter(prefix="/api", tags=["queries"])

    def of_picture(body: bytes, content_type: str, count: int, each: int) -> QueryAnswer:
        if collection.route is None:
            raise HTTPException(422, "expected a vector or an item: this model takes feature vectors, not pictures")
        values, note = collection.route.features(read_picture(body, content_type))
        return query_answer(collection, summary, collection.encode(values), count, each, note=note)

    @made.get("/item/{item}")
    def neighbours_of_an_item(item: ItemId, count: Count = 10, each: Each = 8) -> QueryAnswer:
        """The code of a stored item, the other items nearest to it, and why they are."""
        place = find(collection, item)
        table = collection.tables(np.array([place]))[0]
        return query_answer(collection, summary, table, count, each, sure=collection.sure, place=place)

    @made.post("/query/vector")
    def neighbours_of_a_vector(vector: Vector, count: Count = 10, each: Each = 8) -> QueryAnswer:
        """The code of an item given by its features, the stored items nearest to it, and why they are."""
        table = collection.encode(np.array([vector]))
        return query_answer(collection, summary, table, count, each)

    @made.post("/query/picture", openapi_extra=_PICTURE_BODY)
    async def neighbours_of_a_picture(request: Request, count: Count = 10, each: Each = 8) -> QueryAnswer:
        """The code of a picture, the stored items nearest to it, and why they are. The body is the picture's file."""
        body, content_type = await request.body(), request.headers.get("content-type", "")
        return await run_in_threadpool(of_picture, body, content_type, count, each)

    return made
