"""Routes about the code as a whole, and about the server."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from fastapi import APIRouter, Depends
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel

from dimco.web.answers import AccuracyAnswer
from dimco.web.curve_state import CurveState
from dimco.web.metrics import Metrics


class Ready(BaseModel):
    """The server answers."""

    ready: bool


def accuracy_router(state: CurveState) -> APIRouter:
    """The route of bits against accuracy."""
    made = APIRouter(prefix="/api", tags=["symbols"])

    @made.get("/accuracy")
    async def bits_against_accuracy() -> AccuracyAnswer:
        """Accuracy when only the most informative positions are compared; "computing" for the first seconds."""
        return state.answer()

    return made


def server_router(metrics: Metrics, allowed: Callable[..., Awaitable[None]]) -> APIRouter:
    """Routes for who runs the server; `ready` needs no key."""
    made = APIRouter(tags=["server"])

    @made.get("/ready")
    async def ready() -> Ready:
        """Whether the server answers; it listens only once all is read."""
        return Ready(ready=True)

    @made.get("/metrics", response_class=PlainTextResponse, dependencies=[Depends(allowed)])
    async def measured() -> PlainTextResponse:
        """Counts and durations of requests in Prometheus' text format."""
        return PlainTextResponse(metrics.text())

    return made
