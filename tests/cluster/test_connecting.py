"""Joining Ray: addresses where there is none are refused at once, whatever listens there."""

import http.server
import socket
import threading

import pytest

from dimco.cluster.connecting import connect, connected
from dimco.errors import ClusterError, InputError

pytest.importorskip("ray", reason="needs Ray: pip install 'dimco[ray]'")


@pytest.fixture
def listening():
    """The address of something that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"127.0.0.1:{server.getsockname()[1]}"


@pytest.fixture
def web_server():
    """The address of a web server."""
    with http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler) as server:
        server.RequestHandlerClass.log_message = lambda *_: None
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()


def test_an_address_where_nothing_listens_is_named():
    with pytest.raises(ClusterError, match=r"no Ray cluster answers at 127\.0\.0\.1:1: Connection refused"):
        connect("127.0.0.1:1")


def test_a_listener_that_is_silent_is_given_up(listening):
    with pytest.raises(ClusterError, match=f"no Ray cluster answers at {listening}: timed out"):
        connect(listening, seconds=0.2)


def test_a_listener_of_another_kind_is_refused(web_server):
    with pytest.raises(ClusterError, match=f"no Ray cluster answers at {web_server}: .* something else"):
        connect(web_server)


@pytest.mark.parametrize("address", ["nonsense", "ray://somewhere:10001", "somewhere:port", ":6379"])
def test_an_address_of_another_form_is_wrong_use(address):
    with pytest.raises(InputError, match=r"expected the address of a Ray cluster as HOST:PORT"):
        connect(address)


def test_the_address_of_the_environment_is_tried_and_named(monkeypatch):
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    with pytest.raises(ClusterError, match=r"127\.0\.0\.1:1"):
        connect()


def test_a_cluster_of_this_machine_that_is_gone_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    (tmp_path / "ray").mkdir()
    (tmp_path / "ray" / "ray_current_cluster").write_text("127.0.0.1:1\n")
    with pytest.raises(ClusterError, match=r"no Ray cluster answers at 127\.0\.0\.1:1: Connection refused"):
        connect("auto")


def test_a_block_starts_ray_and_leaves_it_but_not_one_that_was_joined_before():
    with connected("local", cpus=1) as ray:
        assert ray.cluster_resources()["CPU"] == 1
        with connected() as same:
            assert same is ray
        assert ray.is_initialized()
    assert not ray.is_initialized()
