"""dimco serve: what it refuses before it listens, and what it says."""

from __future__ import annotations

import json
import socket

import pytest

pytest.importorskip("fastapi", reason="the web explorer needs the extra web")

from dimco.cli.app import run
from dimco.web import server


@pytest.fixture
def not_serving(monkeypatch):
    """What would be served, without serving it."""
    served = []
    monkeypatch.setattr(server, "serve", lambda app, bound: served.append((app, bound.getsockname())))
    return served


def test_it_says_where_the_page_is(trained, index, as_json, not_serving):
    found = as_json("serve", trained / "model", index, "--data", trained / "train.npz", "--port", 0)
    port = not_serving[0][1][1]
    assert found == {"explorer": f"http://127.0.0.1:{port}", "items": 300, "code": "4x3"}


def test_another_address_needs_a_key(trained, index, error_of, as_json, not_serving, monkeypatch):
    code, line = error_of("serve", trained / "model", index, "--host", "0.0.0.0", "--port", 0)
    assert (code, line) == (2, "error: expected --api-key, as others can reach 0.0.0.0; got none")
    assert not_serving == []
    monkeypatch.setenv("DIMCO_API_KEY", "from-the-environment")
    as_json("serve", trained / "model", index, "--host", "0.0.0.0", "--port", 0)
    assert len(not_serving) == 1


def test_what_does_not_fit_is_one_line(trained, index, error_of, not_serving):
    assert error_of("serve", trained / "other", index, "--port", 0)[0] == 2
    assert error_of("serve", trained / "model", trained / "nothing", "--port", 0)[0] == 2
    data = ("--data", trained / "test.npz")
    assert "rows" in error_of("serve", trained / "model", index, *data, "--port", 0)[1]
    assert error_of("serve", trained / "model", index, "--backbone", "resnet50", "--port", 0)[0] == 2
    assert not_serving == []


def test_a_port_in_use_is_one_line(trained, index, error_of, not_serving):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        code, line = error_of("serve", trained / "model", index, "--port", taken.getsockname()[1])
    assert code == 1
    assert "choose another --port" in line


def test_progress_goes_to_standard_error(trained, index, capsys, not_serving):
    assert run(["serve", str(trained / "model"), str(index), "--port", "0", "--json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["items"] == 300
    assert "stopped" in captured.err
