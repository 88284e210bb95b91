"""The limit on bodies, declared or not."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("path", ["query/picture", "query/vector"])
@pytest.mark.parametrize("declared", [True, False])
def test_a_body_that_is_too_large_is_413(client_of, with_pictures, path, declared):
    def pieces():
        for _ in range(50):
            yield b"x" * 100

    with client_of(with_pictures, most_bytes=1_000) as client:
        body = b"".join(pieces()) if declared else pieces()
        answer = client.post(f"/api/{path}", content=body, headers={"Content-Type": "application/json"})
        assert (answer.status_code, answer.json()) == (413, {"error": "expected a body of at most 1,000 bytes"})
        assert client.post(f"/api/{path}", content=b"x" * 1_000).status_code in {415, 422}


@pytest.mark.parametrize("length", ["-1", "9" * 30, "many"])
def test_a_length_that_is_none_is_413(client, length):
    answer = client.post("/api/query/vector", content=b"{}", headers={"Content-Length": length})
    assert answer.status_code == 413
