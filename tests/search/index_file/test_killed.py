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


def test_a_commit_of_another_version_of_dimco_is_not_lost(tmp_path, small_index, contents, die_during, monkeypatch):
    path, original = tmp_path / "index", tmp_path / "original"
    small_index.save(path)
    assert not die_during(lambda: append(path, None), _first_write_of_a_slot(path, append) + 1)
    assert not die_during(lambda: remove(path, None), _first_write_of_a_slot(path, remove) + 1)
    committed = contents(path)
    shutil.copy(path, original)
    monkeypatch.setattr("dimco.search.index_file.header.__version__", "99.0")
    for number in itertools.count(1):
        shutil.copy(original, path)
        finished = die_during(lambda: append(path, None), number, torn=True)
        assert len(contents(path)) in {len(committed), len(committed) + 3}
        if finished:
            break


def _first_write_of_a_slot(path, act):
    """Which of the calls that change a file is the first one to its header."""
    trial, calls = path.with_name("trial"), []
    shutil.copy(path, trial)
    with pytest.MonkeyPatch.context() as patch:
        for name in ("pwrite", "fsync", "ftruncate"):
            original = getattr(os, name)
            patch.setattr(os, name, lambda *given, n=name, call=original: (calls.append((n, given)), call(*given))[1])
        act(trial, None)
    return 1 + next(place for place, (name, given) in enumerate(calls) if name == "pwrite" and given[2] < 8192)


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
