"""Every error as one line of JSON, and never a trace."""

from __future__ import annotations

import logging
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from dimco.errors import ClusterError, DimcoError, InputError
from dimco.web.answers import Problem

LOG = logging.getLogger("dimco.web")
DOCUMENTED: dict[int | str, dict[str, Any]] = {
    code: {"model": Problem, "description": meaning}
    for code, meaning in {
        400: "The request cannot be read",
        401: "The API key is missing or wrong",
        404: "There is no such thing",
        413: "The body is too large",
        415: "The body is of a type that is not accepted",
        422: "A value is not as expected",
        503: "A part of the stored codes does not answer",
    }.items()
}


def one_line(status: int, message: str, headers: Any = None) -> JSONResponse:
    """An error as the interface gives it."""
    return JSONResponse({"error": " ".join(message.split())[:500]}, status, headers)


def add_handlers(app: FastAPI) -> None:
    """Answer all errors with one line."""
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(DimcoError, _ours)
    app.add_exception_handler(Exception, _unexpected)


async def _invalid(_: Request, error: Any) -> JSONResponse:
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return one_line(422, f"expected JSON as the body; got what ends being JSON at byte {first['loc'][-1]}")
    where = ".".join(str(part) for part in first["loc"] if part != "body") or "body"
    given = f"; got {str(first['input'])[:60]!r}" if isinstance(first.get("input"), (str, int, float)) else ""
    return one_line(422, f"{where}: {first['msg'][0].lower()}{first['msg'][1:]}{given}")


async def _refused(_: Request, error: Any) -> JSONResponse:
    return one_line(error.status_code, str(error.detail), error.headers)


async def _ours(_: Request, error: Exception) -> JSONResponse:
    if isinstance(error, InputError):
        return one_line(422, str(error))
    LOG.error("%s", error)
    if isinstance(error, ClusterError):
        return one_line(503, "a part of the stored codes does not answer; ask again, or see the server's log")
    return one_line(500, "the server could not read what it shows; its log says why")


async def _unexpected(_: Request, error: Exception) -> JSONResponse:
    return one_line(500, "the server failed; its log says why")
