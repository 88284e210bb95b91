"""Routes about stored items: listing them, and their pictures."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Literal

from fastapi import APIRouter, HTTPException, Query, Response

from dimco.web.answers import Items
from dimco.web.collection import Collection
from dimco.web.describing import listed_items
from dimco.web.pictures import thumbnail
from dimco.web.routes.parameters import Count, ItemId, Start

_REMEMBERED = 4_096
_HEADERS = {"Cache-Control": "private, max-age=86400", "X-Content-Type-Options": "nosniff"}


def find(collection: Collection, item: int) -> int:
    """The place of an item, or 404."""
    place = collection.place(item)
    if place is None:
        raise HTTPException(404, f"expected the id of a stored item; no item has id {item}")
    return place


def router(collection: Collection) -> APIRouter:
    """Routes over a collection."""
    made = APIRouter(prefix="/api", tags=["items"])

    @lru_cache(_REMEMBERED)
    def small(item: int, side: int) -> tuple[bytes, str]:
        find(collection, item)
        if collection.pictures is None:
            raise HTTPException(404, "expected items with pictures; these have none")
        return thumbnail(collection.pictures.picture(item), side)

    @made.get("/items")
    def stored_items(
        start: Start = 0,
        count: Count = 48,
        label: Annotated[str | None, Query(max_length=200, description="Only items of this class.")] = None,
    ) -> Items:
        """Items in the order of their ids."""
        return listed_items(collection, start, count, label)

    @made.get(
        "/picture/{item}",
        response_class=Response,
        responses={200: {"content": {"image/png": {}, "image/jpeg": {}}, "description": "The picture"}},
    )
    def picture_of_an_item(item: ItemId, side: Literal["64", "128", "256"] = "128", version: str = "") -> Response:
        """The picture of an item, no larger than `side`; `version` is for caches and may be anything."""
        content, kind = small(item, int(side))
        return Response(content, media_type=kind, headers=_HEADERS)

    return made
