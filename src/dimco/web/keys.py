"""The API key: where one is needed, and the check of it."""

from __future__ import annotations

import hmac
import ipaddress
import re
from collections.abc import Awaitable, Callable

from fastapi import HTTPException, Security
from fastapi.security import APIKeyCookie, APIKeyHeader

from dimco.errors import InputError

COOKIE, HEADER = "dimco-key", "X-API-Key"
SHORTEST_KEY = 8
_KEY = re.compile(rf"[A-Za-z0-9._~-]{{{SHORTEST_KEY},}}")


def check_key(host: str, key: str | None) -> None:
    """Raise `InputError` for an address that others can reach and no key, or for a key too short."""
    if key is None and not is_loopback(host):
        raise InputError(f"expected --api-key, as others can reach {host}; got none")
    if key is not None and _KEY.fullmatch(key) is None:
        raise InputError(f"expected an API key of at least {SHORTEST_KEY} letters, digits, or . _ ~ -")


def is_loopback(host: str) -> bool:
    """Whether a host can be reached from this machine alone."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def requires(key: str | None) -> Callable[..., Awaitable[None]]:
    """A dependency that refuses requests without the key, in the header or in the page's cookie."""
    if key is None:

        async def allowed() -> None:
            return None

        return allowed
    expected = key.encode()

    async def checked(
        header: str | None = Security(APIKeyHeader(name=HEADER, auto_error=False)),
        cookie: str | None = Security(APIKeyCookie(name=COOKIE, auto_error=False)),
    ) -> None:
        given = header if header is not None else cookie
        if given is None or not hmac.compare_digest(given.encode(), expected):
            missing = "no key" if given is None else "another one"
            raise HTTPException(401, f"expected the API key in the header {HEADER}; got {missing}")

    return checked
