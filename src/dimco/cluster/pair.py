"""A model and the shards of its codes, opened together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dimco.cluster.connecting import connected
from dimco.cluster.manifest import read_manifest
from dimco.cluster.sharded_index import ShardedIndex
from dimco.errors import InputError
from dimco.model import CodeModel


@contextmanager
def open_sharded_pair(
    model: str | Path, shards: str | Path, replicas: int = 1, address: str | None = None
) -> Iterator[tuple[CodeModel, ShardedIndex]]:
    """Both, for the length of a block.

    Raises
    ------
    InputError
        The model makes codes of another shape; that is found before a cluster is joined.
    ClusterError
        As of `ShardedIndex.open`.
    """
    loaded, manifest = CodeModel.load(model), read_manifest(shards)
    if loaded.spec != manifest.spec:
        raise InputError(
            f"expected a model of {manifest.spec} codes, as in {shards}; {model} makes {loaded.spec} codes"
        )
    with connected(address), ShardedIndex.open(shards, replicas=replicas) as opened:
        yield loaded, opened
