"""A limit on the size of requests, counted as their bytes come."""

from __future__ import annotations

import contextlib

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dimco.web.problems import one_line


class _TooLargeError(Exception):
    pass


class BodyLimit:
    """Refuse bodies of more than `limit` bytes with 413, whatever their header says.

    Parameters
    ----------
    app : ASGI application
    limit : int
    """

    def __init__(self, app: ASGIApp, limit: int) -> None:
        self._app, self._limit = app, limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refused = one_line(413, f"expected a body of at most {self._limit:,} bytes", {"Connection": "close"})
        if any(name == b"content-length" and _over(value, self._limit) for name, value in scope["headers"]):
            await refused(scope, receive, send)
            return
        seen, over = 0, False

        async def counted() -> Message:
            nonlocal seen, over
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self._limit:
                over = True
                raise _TooLargeError
            return message

        async def unless_refused(message: Message) -> None:
            if not over:
                await send(message)

        with contextlib.suppress(_TooLargeError):
            await self._app(scope, counted, unless_refused)
        if over:
            await refused(scope, receive, send)


def _over(value: bytes, limit: int) -> bool:
    return not value.isdigit() or len(value) > 18 or int(value) > limit
