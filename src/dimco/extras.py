"""Imports of optional packages, with one clear line when one is missing."""

from __future__ import annotations

import importlib
from typing import Any

from dimco.errors import MissingExtraError

_EXTRA_OF = {
    "sklearn": "sklearn",
    "scipy": "sklearn",
    "typer": "cli",
    "rich": "cli",
    "matplotlib": "plots",
    "pandas": "tables",
    "pyarrow": "tables",
    "faiss": "faiss",
    "PIL": "images",
    "fastapi": "web",
    "uvicorn": "web",
    "usearch": "bench",
    "threadpoolctl": "bench",
    "qdrant_edge": "qdrant",
    "qdrant_client": "qdrant",
    "pymilvus": "milvus",
    "psycopg": "postgres",
    "ray": "ray",
}


def require(module: str) -> Any:
    """Import `module`, or raise `MissingExtraError` naming the extra that installs it."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if error.name is None or error.name.partition(".")[0] != package:
            raise
        extra = _EXTRA_OF[package]
        raise MissingExtraError(f"{package} is not installed; get it with: pip install 'dimco[{extra}]'") from None
