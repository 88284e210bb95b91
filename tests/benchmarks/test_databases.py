"""The measurement of databases, on Qdrant's embedded engine with next to nothing."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from dimco import CodeSpec

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "databases.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("databases_benchmark", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_items_are_drawn_around_the_classes_that_are_asked_for(script):
    index, queries = script.drawn(CodeSpec(8, 6), 2_000)
    assert queries.shape == (script.QUERIES, 6, 8)
    np.testing.assert_allclose(np.exp(queries).sum(-1), 1, rtol=1e-5)
    found = index.search(queries, 10)
    assert (found.labels == np.arange(script.QUERIES)[:, None]).mean() > 0.5


def test_an_engine_is_measured_and_found_exact(script, capsys):
    pytest.importorskip("qdrant_edge", reason="needs qdrant-edge-py: pip install 'dimco[qdrant]'")
    index, queries = script.drawn(CodeSpec(4, 5), 300)
    rows = []
    for engine, name, at, size in script.places([script.FOLDER], None):
        facts = script.measured(name, at, index, queries, lambda size=size: size(script.table_of(index)))
        rows.append(script.row(engine, index, facts))
    (made,) = rows
    assert (made["exact"], made["items"], made["code"], made["method"]) == (1.0, 300, "4x5", "dimco-qdrant")
    assert made["bytes_per_item"] > 0
    assert made["ms_per_query"] > 0


def test_limits_say_what_each_engine_takes(script, monkeypatch, capsys):
    pytest.importorskip("qdrant_edge", reason="needs qdrant-edge-py: pip install 'dimco[qdrant]'")
    monkeypatch.setattr(script, "LIMIT_CODES", ("16x16", "65536x17"))
    taken = script.limits([script.FOLDER], None)
    assert [row["taken"] for row in taken] == [True, False]
    assert "up to 1,048,576 for qdrant" in taken[1]["said"]
