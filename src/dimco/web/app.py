"""The explorer as an ASGI application."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio.to_thread
from fastapi import Depends, FastAPI

from dimco._version import __version__
from dimco.web import assets
from dimco.web.collection import Collection
from dimco.web.curve_state import CurveState
from dimco.web.guard import Guard
from dimco.web.keys import requires
from dimco.web.limits import BodyLimit
from dimco.web.metrics import Measured, Metrics
from dimco.web.problems import DOCUMENTED, add_handlers
from dimco.web.routes import evidence, items, queries, symbols

MOST_BYTES = 10_000_000
_THREADS = 4
_ABOUT = "What the symbols of a learned code mean, and why items are near each other."


def create_app(collection: Collection, key: str | None = None, most_bytes: int = MOST_BYTES) -> FastAPI:
    """The application that shows a collection.

    Parameters
    ----------
    collection : Collection
    key : str, optional
        The API key. Without one, requests must name this machine as their host.
    most_bytes : int
        The largest body that is read.
    """
    summary = collection.codebook.summary(top=3)
    curve, metrics, allowed = CurveState(collection), Metrics(len(collection)), requires(key)

    @asynccontextmanager
    async def while_serving(_: FastAPI) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = _THREADS
        curve.start()
        yield

    app = FastAPI(
        title="dimco explorer",
        version=__version__,
        description=_ABOUT,
        docs_url=None,
        redoc_url=None,
        lifespan=while_serving,
    )
    add_handlers(app)
    for router in (
        symbols.router(collection, summary),
        items.router(collection),
        queries.router(collection, summary),
        evidence.accuracy_router(curve),
    ):
        app.include_router(router, dependencies=[Depends(allowed)], responses=DOCUMENTED)
    app.include_router(evidence.server_router(metrics, allowed))
    app.include_router(assets.router())
    app.add_middleware(BodyLimit, limit=most_bytes)
    app.add_middleware(Guard, local=key is None)
    app.add_middleware(Measured, metrics=metrics)
    return app
