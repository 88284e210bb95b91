"""The page's own files, by name."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter, HTTPException, Response

FOLDER = Path(__file__).with_name("page")
_TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


def router() -> APIRouter:
    """Routes of the page; a name that is not one of its files is 404, whatever it looks like."""
    files = {file.name: (file.read_bytes(), _TYPES[file.suffix]) for file in FOLDER.iterdir() if file.suffix in _TYPES}
    made = APIRouter(include_in_schema=False)

    @made.get("/")
    async def index() -> Response:
        return _answer(*files["index.html"])

    @made.get("/page/{name}")
    async def asset(name: str) -> Response:
        if name not in files:
            raise HTTPException(404, "there is no such file of the page")
        return _answer(*files[name])

    return made


def _answer(content: bytes, kind: str) -> Response:
    return Response(content, media_type=kind, headers={"Cache-Control": "no-cache"})
