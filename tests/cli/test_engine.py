"""Commands that search shards on a Ray cluster, and what they refuse before they join one."""

from __future__ import annotations

import pytest

from dimco.cli.app import run


@pytest.fixture
def shards(index, tmp_path):
    assert run(["index", "split", str(index), "--shards", "2", "-o", str(tmp_path / "shards"), "-q"]) == 0
    return tmp_path / "shards"


@pytest.fixture
def joined():
    """This process with a Ray of its own, which commands then use."""
    pytest.importorskip("ray", reason="needs Ray: pip install 'dimco[ray]'")
    from dimco.cluster.connecting import connected

    with connected("local", cpus=1):
        yield


def test_search_and_serve_answer_as_with_the_index(trained, index, shards, as_json, joined, monkeypatch):
    queries = (trained / "test.npz", "-n", 4, "--label", 1, "--label", 2)
    results = [
        as_json("search", trained / "model", *where, *queries)["results"]
        for where in ([index], [shards, "--engine", "ray"])
    ]
    assert results[0] == results[1]
    pytest.importorskip("fastapi", reason="the web explorer needs the extra web")
    from fastapi.testclient import TestClient

    from dimco.web import server

    asked = ["/api/about", "/api/item/5?n=6", "/api/item/77?n=50", "/api/symbol/1/2", "/api/map"]
    pages = []

    def answer(app, _):
        client = TestClient(app, base_url="http://127.0.0.1")
        pages.append([client.get(path).text for path in asked])

    monkeypatch.setattr(server, "serve", answer)
    for where in ([index], [shards, "--engine", "ray"]):
        found = as_json("serve", trained / "model", *where, "--data", trained / "train.npz", "--port", 0)
        assert found["items"] == 300
    assert pages[0] == pages[1]


def test_what_cannot_be_searched_is_one_line(trained, index, shards, error_of):
    model, queries, ray = trained / "model", trained / "test.npz", ("--engine", "ray")
    cases = {
        ("search", model, shards, queries): (2, "expected an index file, or --engine ray for the shards in"),
        ("search", model, index, queries, *ray): (2, "expected a folder of shards"),
        ("search", model, index, queries, "--replicas", 2): (2, "expected --engine ray with --address or --replicas"),
        ("search", model, index, queries, "--address", "a:1"): (2, "expected --engine ray with --address"),
        ("search", trained / "other", shards, queries, *ray): (2, "expected a model of 4x3 codes, as in"),
        ("search", model, shards, queries, "--engine", "abacus"): (2, "--engine"),
        ("serve", trained / "other", shards, "--port", 0, *ray): (2, "expected a model of 4x3 codes, as in"),
    }
    for arguments, (expected, message) in cases.items():
        code, line = error_of(*arguments)
        assert (code, message in line) == (expected, True), (arguments, line)


def test_a_cluster_that_cannot_be_reached_is_named_and_nothing_changes(trained, shards, error_of, tmp_path):
    pytest.importorskip("ray", reason="needs Ray: pip install 'dimco[ray]'")
    before = sorted(tmp_path.rglob("*"))
    there = ("--engine", "ray", "--address", "127.0.0.1:1")
    for command in (
        ("search", trained / "model", shards, trained / "test.npz", "-o", tmp_path / "out.npz", *there),
        ("serve", trained / "model", shards, "--port", 0, *there),
    ):
        code, line = error_of(*command)
        assert (code, "127.0.0.1:1" in line) == (1, True)
    assert sorted(tmp_path.rglob("*")) == before
