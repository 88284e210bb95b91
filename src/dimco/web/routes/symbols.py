"""Routes about symbols: the map, one of them, several together."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query

from dimco.spec import MAX_D, MAX_K
from dimco.web.answers import About, CodeMap, CombinationAnswer, SymbolAnswer
from dimco.web.collection import Collection
from dimco.web.combining import MOST_TERMS, combination_answer, read_terms, symbol_answer
from dimco.web.describing import about, code_map
from dimco.web.routes.parameters import Count

_REMEMBERED = 512

Terms = Annotated[list[str], Query(max_length=MOST_TERMS, description="position:symbol, such as 2:5.")]


def router(collection: Collection, summary: list[dict[str, Any]]) -> APIRouter:
    """Routes over a collection and its `Codebook.summary`; answers are remembered, for nothing changes."""
    made = APIRouter(prefix="/api", tags=["symbols"])
    spec = collection.codebook.spec
    facts = about(collection, summary)
    mapped = lru_cache(64)(lambda start: code_map(collection, summary, start))
    combined = lru_cache(_REMEMBERED)(lambda has, lacks, n: combination_answer(collection, has, lacks, n))

    @lru_cache(_REMEMBERED)
    def described(position: int, symbol: int, n: int) -> SymbolAnswer:
        [(position, symbol)] = read_terms([f"{position}:{symbol}"], spec)
        information = summary[position * spec.k + symbol].get("information")
        return symbol_answer(collection, position, symbol, information, n)

    @made.get("/about")
    async def what_is_shown() -> About:
        """What is explored, and what can be asked."""
        return facts

    @made.get("/map")
    def map_of_the_code(start: Annotated[int, Query(ge=0, lt=MAX_D)] = 0) -> CodeMap:
        """The symbols of some positions, from `start` on."""
        return mapped(start)

    @made.get("/symbol/{position}/{symbol}")
    def one_symbol(
        position: Annotated[int, Path(ge=0, lt=MAX_D)],
        symbol: Annotated[int, Path(ge=0, lt=MAX_K)],
        count: Count = 24,
    ) -> SymbolAnswer:
        """Who has a symbol, of which classes they are, and the items that show it best."""
        return described(position, symbol, count)

    @made.get("/combine")
    def several_symbols(
        has: Terms = [],  # noqa: B006
        lacks: Terms = [],  # noqa: B006
        count: Count = 24,
    ) -> CombinationAnswer:
        """Items with all symbols of `has` and none of `lacks`, those that show them best first."""
        return combined(tuple(read_terms(has, spec)), tuple(read_terms(lacks, spec)), count)

    return made
