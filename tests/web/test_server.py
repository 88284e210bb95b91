"""Listening, stopping without cutting off a request, and many clients at once."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import numpy as np
import pytest
from PIL import Image

from dimco import CodeIndex
from dimco.errors import FileError, InputError
from dimco.web.server import listen, url_of

SECONDS, CLIENTS = 2.0, 20


def test_a_free_port_is_taken_and_named():
    with listen("127.0.0.1", 0) as bound:
        assert url_of(bound) == f"http://127.0.0.1:{bound.getsockname()[1]}"
        bound.listen()
        with pytest.raises(FileError, match="choose another --port"):
            listen("127.0.0.1", bound.getsockname()[1])


def test_a_name_that_is_none_is_refused():
    with pytest.raises(InputError, match=r"as --host; got 'no such\.name'"):
        listen("no such.name", 0)


@pytest.fixture
def explorer(known, tmp_path):
    """`dimco serve` as a process, and its address."""
    x, labels, model = known
    index = CodeIndex(model.spec)
    index.add(model.encode(x), labels=labels)
    model.save(tmp_path / "model")
    index.save(tmp_path / "index")
    np.savez(tmp_path / "data.npz", x=x, y=labels)
    command = [sys.executable, "-c", "from dimco.cli import main; main()", "serve", "model", "index"]
    command += ["--data", "data.npz", "--pixels", "4x4", "--port", "0", "--json", "--quiet"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        line = process.stdout.readline()
        try:
            yield process, line
        finally:
            process.kill()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_finishes_the_request_under_way(explorer, number):
    process, line = explorer
    assert '"items": 90' in line, line
    port = int(line.partition("http://127.0.0.1:")[2].partition('"')[0])
    for _ in range(100):
        try:
            if httpx.get(f"http://127.0.0.1:{port}/ready").json()["ready"]:
                break
        except httpx.TransportError:
            time.sleep(0.05)
    body = io.BytesIO()
    Image.new("L", (4, 4), 99).save(body, "PNG")
    head = "POST /api/query/picture HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: image/png\r\n"
    head += f"Content-Length: {body.tell()}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        client.sendall(head.encode() + body.getvalue()[:10])
        time.sleep(0.3)
        process.send_signal(number)
        time.sleep(0.7)
        assert process.poll() is None, "it waits for the request"
        client.sendall(body.getvalue()[10:])
        answer = client.recv(1 << 20)
    assert answer.startswith(b"HTTP/1.1 200")
    assert process.wait(20) == 0
    assert "Traceback" not in process.stderr.read()


def test_clients_at_once_get_no_error(address):
    paths = ["/api/map", "/api/item/5", "/api/symbol/0/1", "/api/combine?has=0:1", "/api/picture/5", "/"]

    async def client(number):
        statuses = []
        async with httpx.AsyncClient(base_url=address, timeout=30, trust_env=False) as session:
            end = time.monotonic() + SECONDS
            while time.monotonic() < end:
                path = paths[(number + len(statuses)) % len(paths)]
                statuses.append((await session.get(path)).status_code)
        return statuses

    async def all_clients():
        return await asyncio.gather(*(client(number) for number in range(CLIENTS)))

    with ThreadPoolExecutor(1) as thread:
        answered = thread.submit(lambda: asyncio.run(all_clients())).result()
    statuses = [status for found in answered for status in found]
    assert len(statuses) >= CLIENTS
    assert set(statuses) == {200}
