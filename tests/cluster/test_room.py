"""Memory that shards need, against what nodes have."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dimco.cluster.manifest import read_manifest
from dimco.cluster.room import PROCESS_BYTES, bytes_needed, refuse_impossible
from dimco.errors import ClusterError

GIB = 1 << 30


@pytest.fixture
def files(folder):
    """Two shards that take 1 GiB each, with their processes."""
    shard = read_manifest(folder).shards[0]
    return [replace(shard, bytes=GIB - PROCESS_BYTES)] * 2


@pytest.mark.parametrize(("replicas", "nodes"), [(1, [2 * GIB]), (1, [GIB, GIB]), (2, [2 * GIB, GIB, GIB])])
def test_what_fits_is_not_refused(files, replicas, nodes):
    assert bytes_needed(files[0]) == GIB
    refuse_impossible(files, replicas, nodes)


@pytest.mark.parametrize(("replicas", "nodes"), [(1, [GIB]), (3, [2 * GIB, 3 * GIB]), (1, [GIB - 1] * 9), (1, [])])
def test_what_cannot_fit_is_one_line_with_both_figures(files, replicas, nodes):
    line = f"expected {2 * replicas}.00 GiB of memory for 2 shards with {replicas} of each, the largest 1.00 GiB"
    with pytest.raises(ClusterError, match=line) as caught:
        refuse_impossible(files, replicas, nodes)
    assert f"on {len(nodes)} node{'s' if len(nodes) != 1 else ''}, the largest" in str(caught.value)
