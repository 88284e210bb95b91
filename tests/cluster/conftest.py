"""An index with ties, gaps among its ids and labels, its file, and its shards."""

from __future__ import annotations

import numpy as np
import pytest

from dimco import CodeIndex, CodeSpec
from dimco.cluster.connecting import connect
from dimco.cluster.splitting import split_index

ITEMS = 600
NODE = {"num_cpus": 1, "memory": 2 << 30, "object_store_memory": 80 << 20}


@pytest.fixture(scope="session")
def whole() -> CodeIndex:
    """Items of few distinct codes, some removed and some with ids far away; labels are strings."""
    rng = np.random.default_rng(0)
    made = CodeIndex(CodeSpec(k=4, d=5))
    labels = rng.choice(["ash", "birch", "cedar"], ITEMS)
    made.add(rng.integers(0, 4, (ITEMS, 5)), labels=labels)
    made.remove(range(0, ITEMS, 7))
    far = 10**12 + 3 * np.arange(50)
    made.add(rng.integers(0, 4, (50, 5)), far, labels=["yew"] * 50)
    return made


@pytest.fixture(scope="session")
def whole_file(whole, tmp_path_factory):
    """Its file."""
    path = tmp_path_factory.mktemp("whole") / "codes.index"
    whole.save(path)
    return path


@pytest.fixture(scope="session")
def tables() -> np.ndarray:
    """Log probabilities of 20 queries, half of which take few values, so that scores are equal."""
    rng = np.random.default_rng(1)
    sure = np.log(rng.dirichlet(np.full(4, 0.5), (10, 5)) + 1e-9)
    return np.concatenate([sure, -rng.integers(0, 3, (10, 5, 4))]).astype(np.float32)


@pytest.fixture(scope="session")
def folder(whole_file, tmp_path_factory):
    """The index in three shards."""
    path = tmp_path_factory.mktemp("split") / "shards"
    split_index(whole_file, 3, path)
    return path


@pytest.fixture(scope="module")
def two_nodes():
    """A Ray cluster of two nodes on this machine, each with memory for a few shards, which this process has joined."""
    ray = pytest.importorskip("ray", reason="needs Ray: pip install 'dimco[ray]'")
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={**NODE, "include_dashboard": False})
    cluster.add_node(**NODE)
    connect(cluster.address)
    yield cluster
    ray.shutdown()
    cluster.shutdown()
