"""Collections in each database whose client is there, and an index to fill them from."""

from __future__ import annotations

import importlib.util
import os
import uuid

import numpy as np
import pytest

from dimco import CodeIndex, CodeSpec
from dimco.adapters.opening import open_collection

CLIENTS = {"qdrant folder": "qdrant_edge", "qdrant": "qdrant_client", "milvus": "milvus_lite", "postgres": "psycopg"}


def address_of(engine, folder):
    """Where a test may keep collections; skips without the client, or without a server where one is needed."""
    if importlib.util.find_spec(CLIENTS[engine]) is None:
        pytest.skip(f"needs {CLIENTS[engine]}: pip install 'dimco[{engine.split()[0]}]'")
    if engine == "postgres":
        if not os.environ.get("DIMCO_POSTGRES"):
            pytest.skip("needs a Postgres with pgvector, whose address is in DIMCO_POSTGRES")
        return os.environ["DIMCO_POSTGRES"]
    return {"qdrant folder": str(folder), "qdrant": ":memory:", "milvus": str(folder / "codes.db")}[engine]


@pytest.fixture(params=CLIENTS)
def collection_of(request, tmp_path):
    """Opens an empty collection of a spec in a database; closed after the test."""
    opened = []

    def collection_of(spec):
        name = f"codes_{uuid.uuid4().hex[:8]}"
        opened.append(open_collection(request.param.split()[0], address_of(request.param, tmp_path), name, spec))
        return opened[-1]

    yield collection_of
    for collection in opened:
        collection.close()


@pytest.fixture
def index(rng):
    """600 codes, many of them equal, with ids in no order and gaps between, and labels."""
    made = CodeIndex(CodeSpec(4, 5))
    symbols = rng.integers(0, 4, (200, 5))[rng.integers(0, 200, 600)]
    made.add(symbols, rng.permutation(9_000)[:600], [f"label {row % 7}" for row in range(600)])
    return made


@pytest.fixture
def queries(rng):
    """log p of 6 queries, rounded so that unequal codes tie as well."""
    return np.round(np.log(rng.dirichlet(np.ones(4), (6, 5))), 1).astype(np.float32)
