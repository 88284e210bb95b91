"""Listening, serving, and stopping without cutting off a request."""

from __future__ import annotations

import contextlib
import signal
import socket
from collections.abc import Callable, Iterator
from typing import Any

import uvicorn
from fastapi import FastAPI

from dimco.errors import FileError, InputError

_SECONDS_TO_FINISH = 30
_MOST_AT_ONCE = 2_000


def listen(host: str, port: int) -> socket.socket:
    """A socket bound to an address; port 0 takes a free one."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except OSError:
        raise InputError(f"expected the name or address of this machine as --host; got {host!r}") from None
    bound = socket.socket(family, kind, protocol)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind(address)
    except OSError as error:
        bound.close()
        raise FileError(f"cannot listen on {host}, port {port}: {error.strerror}; choose another --port") from error
    return bound


def url_of(bound: socket.socket) -> str:
    """The address to open in a browser."""
    host, port = bound.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def serve(app: FastAPI, bound: socket.socket) -> None:
    """Answer requests until SIGINT or SIGTERM; those under way are then finished, for up to 30 seconds."""
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        limit_concurrency=_MOST_AT_ONCE,
        timeout_graceful_shutdown=_SECONDS_TO_FINISH,
    )
    with _quiet_signals():
        uvicorn.Server(config).run(sockets=[bound])


@contextlib.contextmanager
def _quiet_signals() -> Iterator[None]:
    """The server raises again, once it has stopped, the signal that stopped it; here that is the end and no error."""
    handler: Callable[[int, Any], None] = lambda number, frame: None  # noqa: E731
    before = {number: signal.signal(number, handler) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, previous in before.items():
            signal.signal(number, previous)
