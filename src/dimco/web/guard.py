"""What every answer carries so that browsers load nothing from elsewhere, and which hosts are answered at all."""

from __future__ import annotations

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dimco.web.keys import is_loopback
from dimco.web.problems import one_line

_SECURITY = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' blob: data:; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


class Guard:
    """Adds the headers, and refuses requests to any name but this machine's own where `local` says so.

    The latter keeps a page elsewhere, whose name has come to mean this machine, from reading what is served here.

    Parameters
    ----------
    app : ASGI application
    local : bool
    """

    def __init__(self, app: ASGIApp, local: bool) -> None:
        self._app, self._local = app, local

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_SECURITY)
            await send(message)

        if self._local and not is_loopback(_host(scope)):
            answer = one_line(400, "expected this machine as the host: without an API key no other name is served")
            await answer(scope, receive, with_headers)
            return
        await self._app(scope, receive, with_headers)


def _host(scope: Scope) -> str:
    """The Host header without its port."""
    host = Headers(scope=scope).get("host", "")
    return host[1:].partition("]")[0] if host.startswith("[") else host.partition(":")[0]
