"""Hosts that are answered, and headers that keep browsers here."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("host", ["example.org", "127.0.0.1.example.org:80", "", "[2001:db8::1]:80"])
def test_without_a_key_other_names_are_not_served(client, host):
    answer = client.get("/api/about", headers={"Host": host})
    assert (answer.status_code, list(answer.json())) == (400, ["error"])


@pytest.mark.parametrize("host", ["localhost", "localhost:8000", "127.0.0.1:1", "[::1]:8000"])
def test_names_of_this_machine_are_served(client, host):
    assert client.get("/api/about", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("path", ["/", "/api/about", "/nowhere"])
def test_browsers_are_told_to_load_nothing_from_elsewhere(client, path):
    headers = client.get(path).headers
    assert headers["content-security-policy"].startswith("default-src 'self'")
    assert headers["x-content-type-options"] == "nosniff"
