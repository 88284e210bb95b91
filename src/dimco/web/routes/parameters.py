"""Parameters that routes share, with their limits."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query

from dimco.search.items import MAX_ID

MOST_SHOWN = 200

Count = Annotated[int, Query(alias="n", ge=1, le=MOST_SHOWN, description="How many to show.")]
Each = Annotated[int, Query(ge=1, le=32, description="How many items of each neighbouring code to show.")]
Start = Annotated[int, Query(ge=0, le=MAX_ID, description="How many to pass over.")]
ItemId = Annotated[int, Path(ge=0, le=MAX_ID, description="The id of a stored item.")]
