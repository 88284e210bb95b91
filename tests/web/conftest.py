"""Small collections with every kind of knowledge, and servers of them on this machine."""

from __future__ import annotations

import contextlib
import threading
import time

import numpy as np
import pytest
import torch

pytest.importorskip("fastapi", reason="the web explorer needs the extra web")
pytest.importorskip("httpx", reason="testing the web explorer needs httpx")

import uvicorn
from fastapi.testclient import TestClient

from dimco import CodeIndex, CodeModel, CodeSpec, LinearHead
from dimco.backbones import Standardize
from dimco.web.app import create_app
from dimco.web.collection import Collection
from dimco.web.grey_pixels import GreyPixels
from dimco.web.pictures import Pictures
from dimco.web.server import listen, url_of

ITEMS, SIDE, CLASSES = 90, 4, 3
NAMES = ["ash", "birch", "cedar <b>"]


@pytest.fixture(scope="session")
def known():
    """Features that are 4 x 4 grey pictures of 3 classes, their labels, and a model of them."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, CLASSES, ITEMS)
    centres = rng.uniform(0, 16, (CLASSES, SIDE * SIDE))
    x = (centres[labels] + rng.normal(size=(ITEMS, SIDE * SIDE))).clip(0, 16).astype(np.float32)
    torch.manual_seed(0)
    model = CodeModel(Standardize(SIDE * SIDE).fit(x), LinearHead(SIDE * SIDE, CodeSpec(k=4, d=3))).eval()
    return x, labels, model


@pytest.fixture(scope="session")
def with_pictures(known):
    """A collection whose items have data, labels and pictures, and into which pictures can be dropped."""
    x, labels, model = known
    index = CodeIndex(model.spec)
    index.add(model.encode(x), labels=labels)
    index.remove([0, 17])
    grid = GreyPixels(SIDE, SIDE, x)
    pictures = Pictures(x.reshape(-1, SIDE, SIDE), grid.low, grid.high)
    return Collection(model, index, x, NAMES, pictures, grid)


@pytest.fixture(scope="session")
def codes_alone(known):
    """A collection of which the codes and nothing else is known."""
    x, _, model = known
    index = CodeIndex(model.spec)
    index.add(model.encode(x))
    return Collection(model, index)


def requests_to(app):
    """Requests to an application without a network."""
    return TestClient(app, base_url="http://127.0.0.1", raise_server_exceptions=False)


@pytest.fixture
def client_of():
    """Requests to an application, or to one made of a collection."""

    def client_of(collection, **settings):
        return requests_to(create_app(collection, **settings))

    return client_of


@pytest.fixture
def client(with_pictures):
    with requests_to(create_app(with_pictures)) as made:
        yield made


@pytest.fixture
def bare(codes_alone):
    with requests_to(create_app(codes_alone)) as made:
        yield made


@contextlib.contextmanager
def served(app):
    """The address at which an application is served, until the block ends."""
    bound = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=5))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    end = time.monotonic() + 20
    while not server.started and time.monotonic() < end:
        time.sleep(0.01)
    assert server.started
    try:
        yield url_of(bound)
    finally:
        server.should_exit = True
        thread.join(20)
        bound.close()


@pytest.fixture(scope="session")
def address(with_pictures):
    """The address of a running explorer."""
    with served(create_app(with_pictures)) as url:
        yield url


@pytest.fixture
def running():
    """A context manager that serves a collection and gives its address."""

    def running(collection, **settings):
        return served(create_app(collection, **settings))

    return running
