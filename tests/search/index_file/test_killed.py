"""A process killed at any write, fsync, truncate or rename leaves the old or the new index."""

import itertools
import os
import shutil

import pytest

from dimco import CodeIndex

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def create(path, index):
    index.save(path)


def append(path, index):
    index = CodeIndex.open(path)
    index.add([[0, 1, 2]] * 3, labels=["new", "name 1", "newer"])
    index.save(path)


def remove(path, index):
    index = CodeIndex.open(path)
    index.remove(index.ids[5:9])
    index.save(path)


def append_twice(path, index):
    index = CodeIndex.open(path)
    index.add([[0, 1, 2]], labels=["new"])
    index.save(path)
    index.update(index.ids[:1], [[4, 4, 4]])
    index.save(path)


def compact(path, index):
    index = CodeIndex.open(path)
    index.compact()
    index.add([[3, 3, 3]], labels=["newest"])
    index.save(path)


def save_over_another(path, index):
    index.add([[3, 3, 3]], labels=["newest"])
    index.save(path)


@pytest.mark.parametrize("torn", [False, True])
@pytest.mark.parametrize("act", [create, append, remove, compact, save_over_another])
def test_the_old_or_the_new_index_is_there(tmp_path, small_index, contents, kill_during, act, torn):
    original, path = tmp_path / "original", tmp_path / "index"
    small_index.save(original)
    done = tmp_path / "done"
    if act is not create:
        shutil.copy(original, done)
    old = contents(done)
    kill_during(lambda: act(done, small_index), 10**6)
    new = contents(done)
    assert new != old
    seen = []
    for number in itertools.count(1):
        path.unlink(missing_ok=True)
        if act is not create:
            shutil.copy(original, path)
        finished = kill_during(lambda: act(path, small_index), number, torn)
        seen.append(contents(path))
        assert seen[-1] in (old, new)
        if seen[-1] is not None:
            again = CodeIndex.open(path)
            again.add([[1, 1, 1]], ids=[10_000], labels=["after"])
            again.save(path)
            assert contents(path) == [*seen[-1], (10_000, [1, 1, 1], "after")]
        if finished:
            break
    assert len(seen) > 5
    changes = [number for number, (one, next_one) in enumerate(itertools.pairwise(seen)) if one != next_one]
    assert len(changes) == 1, "the new index is there from one moment on"


@pytest.mark.parametrize("torn", [False, True])
def test_a_process_killed_while_it_writes_over_what_a_killed_one_left(
    tmp_path, small_index, contents, die_during, torn
):
    original, once, twice = tmp_path / "original", tmp_path / "once", tmp_path / "twice"
    small_index.save(original)
    for first in itertools.count(1):
        shutil.copy(original, once)
        if die_during(lambda: append(once, None), first, torn):
            break
        old = contents(once)
        for second in itertools.count(1):
            shutil.copy(once, twice)
            finished = die_during(lambda: remove(twice, None), second, torn)
            now = contents(twice)
            assert now == old or len(now) == len(old) - 4
            if finished:
                break


def test_every_commit_of_several_is_there_once_it_is_done(tmp_path, small_index, contents, kill_during):
    path, original = tmp_path / "index", tmp_path / "original"
    small_index.save(original)
    lengths = []
    for number in itertools.count(1):
        shutil.copy(original, path)
        finished = kill_during(lambda: append_twice(path, None), number)
        now = contents(path)
        lengths.append((len(now), now[0][1] == [4, 4, 4]))
        if finished:
            break
    assert lengths == sorted(lengths)
    assert len(set(lengths)) == 3
