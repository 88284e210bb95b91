"""The sharded index on a Ray cluster of two nodes against the index it was split from."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from dimco import CodeIndex, Where
from dimco.cluster import asking, room
from dimco.cluster.manifest import read_manifest
from dimco.cluster.sharded_index import ShardedIndex
from dimco.cluster.splitting import split_index
from dimco.errors import ClusterError, InputError


@pytest.fixture(scope="module")
def sharded(two_nodes, folder):
    """Three shards, one process each."""
    with ShardedIndex.open(folder) as opened:
        yield opened


def same(found, expected):
    """Fail unless all bits of ids and scores, and all labels, are the same."""
    assert found.ids.tobytes() == expected.ids.tobytes()
    assert found.scores.tobytes() == expected.scores.tobytes()
    assert (found.ids.shape, found.scores.shape) == (expected.ids.shape, expected.scores.shape)
    np.testing.assert_array_equal(found.labels, expected.labels)


@pytest.mark.parametrize("n", [1, 10, 10_000])
def test_ids_labels_and_score_bits_are_those_of_the_whole_index(sharded, whole, tables, n):
    same(sharded.search(tables, n), whole.search(tables, n))
    same(sharded.search(tables[3], n), whole.search(tables[3], n))


def test_filters_hold_in_every_shard(sharded, whole, tables):
    some = whole.ids[5:400:3]
    for where in (
        Where(labels=["ash", "yew"]),
        Where(ids=some, not_ids=some[:20]),
        Where(labels="oak"),
        Where(ids=[10**15]),
        Where(ids=some, labels="ash"),
    ):
        same(sharded.search(tables, 7, where), whole.search(tables, 7, where))


def test_what_it_holds_is_what_the_whole_index_holds(sharded, whole):
    assert (len(sharded), sharded.spec, sharded.label_kind) == (len(whole), whole.spec, "str")
    assert sharded.ids.tolist() == whole.ids.tolist()
    assert sharded.labels.tolist() == whole.labels.tolist()
    mixed = whole.ids[[500, 3, 250, 4, 563]]
    assert sharded.reconstruct(mixed).tolist() == whole.reconstruct(mixed).tolist()
    assert sharded.reconstruct(int(mixed[0])).tolist() == whole.reconstruct(int(mixed[0])).tolist()
    assert sharded.reconstruct([]).shape == (0, 5)
    assert sharded.nbytes > 0
    assert repr(sharded) == "ShardedIndex(564 items of 4x5 in 3 shards)"


def test_what_the_whole_index_refuses_it_refuses_with_the_same_line(sharded, whole, tables):
    calls = [
        lambda index: index.search(tables[:, :2]),
        lambda index: index.search(tables, 0),
        lambda index: index.search(tables, where=Where(labels=[1, 2])),
        lambda index: index.search(tables, kernel="abacus"),
        lambda index: index.search(tables, threads=0),
        lambda index: index.reconstruct([1, 7]),
        lambda index: index.reconstruct([10**15]),
        lambda index: index.reconstruct([-1]),
    ]
    for call in calls:
        lines = []
        for index in (whole, sharded):
            with pytest.raises(InputError) as caught:
                call(index)
            lines.append(str(caught.value))
        assert lines[0] == lines[1]


def test_changes_are_refused_with_the_way_to_make_them(sharded):
    for change in ("add", "remove", "update", "merge", "compact", "save"):
        with pytest.raises(InputError, match="run `dimco index split` again"):
            getattr(sharded, change)([1])


def test_many_threads_may_ask_at_once(sharded, whole, tables):
    with ThreadPoolExecutor(8) as pool:
        asked = [(place % 20, pool.submit(sharded.search, tables[place % 20], 5)) for place in range(60)]
    for place, found in asked:
        same(found.result(), whole.search(tables[place], 5))


def test_index_files_whose_ids_are_apart_are_one_collection(sharded, whole, tables, folder):
    files = [shard.path for shard in read_manifest(folder).shards]
    with ShardedIndex.open(files[:2]) as part:
        left = Where(ids=np.concatenate([CodeIndex.open(file).ids for file in files[:2]]))
        same(part.search(tables, 9), whole.search(tables, 9, left))
    with pytest.raises(ClusterError, match="expected an open sharded index; it was closed"):
        part.search(tables)


def test_replicas_are_on_both_nodes_and_all_are_asked(two_nodes, folder, whole, tables):
    import ray

    with ShardedIndex.open(folder, replicas=2) as opened:
        for one in opened._sets:
            nodes = [
                ray.get(replica.actor.__ray_call__.remote(lambda _: ray.get_runtime_context().get_node_id()))
                for replica in one.all()
            ]
            assert len(set(nodes)) == 2
            taken = [one.take() for _ in range(4)]
            assert sorted(map(id, taken)) == sorted(map(id, 2 * one.all()))
            for replica in taken:
                one.give_back(replica, answered=True)
        same(opened.search(tables, 5), whole.search(tables, 5))
        assert repr(opened).endswith("in 3 shards, 2 of each)")


def test_more_than_the_cluster_holds_is_one_line(two_nodes, folder):
    line = (
        "expected 22.50 GiB of memory for 3 shards with 30 of each, the largest 0.25 GiB; the cluster has 4.00 GiB on 2"
    )
    with pytest.raises(ClusterError, match=re.escape(line)):
        ShardedIndex.open(folder, replicas=30)


def test_more_than_is_left_is_one_line_and_reserves_nothing(sharded, folder, monkeypatch):
    from ray.util import placement_group_table

    monkeypatch.setattr(room, "_SECONDS_TO_PLACE", 0.5)
    with pytest.raises(ClusterError, match=r"with 5 of each, .* of it free"):
        ShardedIndex.open(folder, replicas=5)
    states = [group["state"] for group in placement_group_table().values()]
    assert (states.count("CREATED"), "PENDING" in states) == (3, False)


def test_a_process_of_another_version_is_refused(sharded, tables, monkeypatch):
    monkeypatch.setattr(asking, "__version__", "99.0")
    with pytest.raises(ClusterError, match=r"expected dimco 99\.0 in the whole cluster, as here; shard 0 of 3 .* has"):
        sharded.search(tables)


def test_an_answer_without_one_shard_is_refused(sharded, tables, monkeypatch):
    monkeypatch.setattr(sharded._shards, "_sets", sharded._sets[:2])
    with pytest.raises(ClusterError, match="expected an answer from all 564 items; got one from 376"):
        sharded.search(tables)


def test_a_file_that_is_not_there_names_the_shard(two_nodes, whole_file, tmp_path):
    split_index(whole_file, 1, tmp_path / "shards")
    (tmp_path / "shards" / "shard-0.index").unlink()
    line = r"shard 0 of 1 .* no such file: .*; every node of the cluster must see it there"
    with pytest.raises(ClusterError, match=line):
        ShardedIndex.open(tmp_path / "shards")


@pytest.mark.parametrize(("name", "value"), [("replicas", 0), ("replicas", 1.5), ("timeout", 0), ("timeout", np.inf)])
def test_wrong_settings_are_one_line(two_nodes, folder, name, value):
    with pytest.raises(InputError, match=f"expected (a )?{name}"):
        ShardedIndex.open(folder, **{name: value})
