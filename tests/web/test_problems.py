"""Errors that nobody expected."""

from __future__ import annotations

import pytest

from dimco.errors import ClusterError, DamagedFileError


@pytest.mark.parametrize("error", [RuntimeError("secret\ntrace"), DamagedFileError("/secret/path is damaged")])
def test_a_failure_is_one_line_that_tells_nothing_of_the_inside(client, monkeypatch, error):
    def fails(*_, **__):
        raise error

    monkeypatch.setattr("dimco.web.routes.items.thumbnail", fails)
    answer = client.get("/api/picture/1")
    assert answer.status_code == 500
    assert "log says why" in answer.json()["error"]
    assert "secret" not in answer.text


def test_a_method_that_is_not_served_is_one_line(client):
    answer = client.delete("/api/about")
    assert (answer.status_code, answer.json(), answer.headers["allow"]) == (405, {"error": "Method Not Allowed"}, "GET")


def test_a_shard_that_does_not_answer_is_said_without_its_path(client, monkeypatch):
    def fails(*_, **__):
        raise ClusterError("shard 1 of 2 (/secret/path) was lost 3 times while it was asked")

    monkeypatch.setattr("dimco.web.routes.queries.query_answer", fails)
    answer = client.get("/api/item/1")
    assert answer.status_code == 503
    assert "does not answer" in answer.json()["error"]
    assert "secret" not in answer.text
