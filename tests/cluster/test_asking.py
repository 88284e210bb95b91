"""Lost processes, lost nodes and replaced files: a query is answered in full, or refused with the shard's name."""

from __future__ import annotations

import os
import shutil
import signal
import threading
import time
from contextlib import contextmanager
from dataclasses import replace

import pytest

from dimco.cluster import asking
from dimco.cluster.sharded_index import ShardedIndex
from dimco.cluster.splitting import split_index
from dimco.errors import ClusterError


@pytest.fixture
def two_shards(whole_file, tmp_path):
    split_index(whole_file, 2, tmp_path / "shards")
    return tmp_path / "shards"


def process_of(opened, shard, replica=0):
    """The process id of a replica."""
    import ray

    return ray.get(opened._sets[shard].all()[replica].actor.__ray_call__.remote(lambda _: os.getpid()))


@contextmanager
def asked_all_the_time(opened, tables, expected):
    """What threads that never stop asking get: "right", or the error; anything else fails the test."""
    outcomes, stop = [], threading.Event()

    def ask(number):
        while not stop.is_set():
            number = (number + 1) % len(tables)
            try:
                found = opened.search(tables[number], 10)
                right = found.ids.tobytes() == expected.ids[number].tobytes()
                right &= found.scores.tobytes() == expected.scores[number].tobytes()
                outcomes.append("right" if right else found)
            except ClusterError as error:
                outcomes.append(error)
            except BaseException as error:
                outcomes.append(repr(error))
                raise

    threads = [threading.Thread(target=ask, args=(number,)) for number in (0, 7)]
    for thread in threads:
        thread.start()
    try:
        yield outcomes
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert all(one == "right" or isinstance(one, ClusterError) for one in outcomes)


def wait_for_answers(outcomes, more, seconds=240):
    """Let so many more questions be answered."""
    end, until = time.monotonic() + seconds, len(outcomes) + more
    while len(outcomes) < until and time.monotonic() < end:
        time.sleep(0.02)
    assert len(outcomes) >= until


def test_a_killed_process_is_started_again_from_its_file(two_nodes, two_shards, whole, tables):
    expected = whole.search(tables, 10)
    with ShardedIndex.open(two_shards) as opened:
        before = process_of(opened, 1)
        os.kill(before, signal.SIGKILL)
        found = opened.search(tables, 10)
        assert (found.ids.tobytes(), found.scores.tobytes()) == (expected.ids.tobytes(), expected.scores.tobytes())
        assert process_of(opened, 1) != before


def test_one_that_was_started_again_is_asked_again(two_nodes, whole_file, tables):
    with ShardedIndex.open([whole_file], replicas=2) as opened:
        ones = opened._sets[0]
        ones.replace(ones.all()[0], elsewhere=False)
        end = time.monotonic() + 30
        while not ones.all()[0].answered and time.monotonic() < end:
            opened.search(tables)
        assert ones.all()[0].answered


def test_one_that_cannot_open_its_file_is_not_asked_while_another_answers(two_nodes, whole_file, tables, tmp_path):
    import ray

    shutil.copy(whole_file, tmp_path / "one.index")
    with ShardedIndex.open([tmp_path / "one.index"], replicas=2) as opened:
        (tmp_path / "one.index").unlink()
        ones = opened._sets[0]
        ones.replace(ones.all()[0], elsewhere=False)
        assert ray.wait([ones.all()[0].greeting], timeout=30)[0]
        for _ in range(3):
            opened.search(tables)
        ones.replace(ones.all()[1], elsewhere=False)
        with pytest.raises(ClusterError, match=r"shard 0 of 1 .* no such file: .*one\.index; every node"):
            opened.search(tables)


def test_a_file_that_was_split_anew_is_refused_when_its_process_is_lost(two_nodes, two_shards, whole_file, tables):
    with ShardedIndex.open(two_shards) as opened:
        shutil.rmtree(two_shards)
        opened.search(tables)
        split_index(whole_file, 2, two_shards)
        opened.search(tables)
        os.kill(process_of(opened, 0), signal.SIGKILL)
        with pytest.raises(
            ClusterError, match=r"expected the shard of the manifest in .*shard-0\.index; it was written"
        ):
            opened.search(tables)


def test_a_shard_that_is_lost_again_and_again_is_named(two_nodes, two_shards, tables, monkeypatch):
    import ray

    with ShardedIndex.open(two_shards) as opened:
        take_one = opened._sets[1].take

        def take(replica=None):
            taken = take_one(replica)
            ray.kill(taken.actor)
            return taken

        monkeypatch.setattr(opened._sets[1], "take", take)
        with pytest.raises(
            ClusterError, match=r"shard 1 of 2 \(.*shard-1\.index\) was lost 3 times while it was asked"
        ):
            opened.search(tables)
        monkeypatch.undo()
        assert len(opened.search(tables).ids) == len(tables)


def test_one_that_is_late_is_told_from_one_that_is_frozen(two_nodes, two_shards, tables, monkeypatch):
    monkeypatch.setattr(asking, "_SECONDS_OF_A_PULSE", 1.0)
    with ShardedIndex.open(two_shards) as opened:
        shards, ones = opened._shards, opened._sets[0]
        shards._timeout = 0.5
        ones.all()[0].actor.__ray_call__.remote(lambda _: time.sleep(1.5))
        with pytest.raises(ClusterError, match=r"shard 0 of 2 .* did not answer within 0\.5 s and is still at work"):
            opened.search(tables)
        shards._timeout = 60.0
        opened.search(tables)
        start_another = ones.replace

        def replace_and_wait(*lost):
            shards._timeout = 60.0
            start_another(*lost)

        monkeypatch.setattr(ones, "replace", replace_and_wait)
        os.kill(process_of(opened, 0), signal.SIGSTOP)
        shards._timeout = 0.5
        assert len(opened.search(tables).ids) == len(tables)
        assert shards._timeout == 60.0


def test_one_that_cannot_be_started_again_says_what_it_needs(two_nodes, whole_file, tables):
    with ShardedIndex.open([whole_file]) as opened:
        lost = opened._sets[0].all()[0]
        opened._sets[0].file = replace(opened._sets[0].file, bytes=1 << 40)
        opened._sets[0].replace(lost, elsewhere=True)
        opened._shards._timeout = 0.5
        with pytest.raises(
            ClusterError, match=r"shard 0 of 1 .* could not be started within 0\.5 s: it needs 0\.25 GiB"
        ):
            opened.search(tables)


def test_a_node_removed_under_load_costs_no_answer(two_nodes, two_shards, whole_file, whole, tables):
    node = next(one for one in two_nodes.list_all_nodes() if one is not two_nodes.head_node)
    expected = whole.search(tables, 10)
    with ShardedIndex.open(two_shards) as alone, ShardedIndex.open([whole_file], replicas=2) as twice:
        with (
            asked_all_the_time(alone, tables, expected) as of_alone,
            asked_all_the_time(twice, tables, expected) as rest,
        ):
            wait_for_answers(of_alone, 20)
            two_nodes.remove_node(node, allow_graceful=False)
            wait_for_answers(of_alone, 100)
            wait_for_answers(rest, 100)
        assert [one for one in of_alone + rest if one != "right"] == []
