"""When the power fails, any of the writes since the last fsync may be on disk, and others not."""

import itertools
import os
import shutil

import pytest

from dimco import CodeIndex
from dimco.search.index_file.header import SLOT, SLOTS


def record(monkeypatch, action):
    """What an action writes, cuts and syncs, in order."""
    calls = []
    with monkeypatch.context() as patch:
        pwrite, ftruncate, fsync = os.pwrite, os.ftruncate, os.fsync
        patch.setattr(os, "pwrite", lambda d, data, at: calls.append(("write", bytes(data), at)) or pwrite(d, data, at))
        patch.setattr(os, "ftruncate", lambda d, size: calls.append(("cut", size)) or ftruncate(d, size))
        patch.setattr(os, "fsync", lambda d: calls.append(("sync",)) or fsync(d))
        action()
    return calls


def replay(data, calls):
    data = bytearray(data)
    for kind, *rest in calls:
        if kind == "write":
            content, at = rest
            data.extend(bytes(max(0, at + len(content) - len(data))))
            data[at : at + len(content)] = content
        elif kind == "cut":
            data = data[: rest[0]] + bytes(max(0, rest[0] - len(data)))
    return bytes(data)


def states(data, calls):
    """Every state the disk may be in: what was synced, with none, one, all but one or all of what was not."""
    synced = 0
    for now in range(len(calls) + 1):
        pending = [call for call in calls[synced:now] if call[0] != "sync"]
        subsets = [[], pending, *([call] for call in pending)]
        subsets += [pending[:place] + pending[place + 1 :] for place in range(len(pending))]
        torn = [("write", call[1][: len(call[1]) // 2], call[2]) for call in pending if call[0] == "write"]
        subsets += [[half] for half in torn]
        done = replay(data, calls[:synced])
        for subset in subsets:
            yield replay(done, subset)
        if now < len(calls) and calls[now][0] == "sync":
            synced = now + 1


def add(index):
    index.add([[0, 1, 2]] * 3, labels=["new", "name 1", "newer"])


def remove(index):
    index.remove(index.ids[3:6])


@pytest.mark.parametrize("change", [add, remove])
def test_whatever_reached_the_disk_the_old_or_the_new_index_is_there(
    tmp_path, small_index, contents, monkeypatch, change
):
    path, image = tmp_path / "index", tmp_path / "image"
    small_index.save(path)
    every_state_is_old_or_new(path, image, contents, monkeypatch, change)


@pytest.mark.parametrize("torn", [False, True])
def test_so_it_is_after_a_commit_that_was_interrupted_between_the_slots(
    tmp_path, small_index, contents, monkeypatch, die_during, torn
):
    path, image, original = tmp_path / "index", tmp_path / "image", tmp_path / "original"
    small_index.save(original)
    interrupted = 0

    def commit():
        index = CodeIndex.open(path)
        add(index)
        index.save(path)

    for number in itertools.count(1):
        shutil.copy(original, path)
        if die_during(commit, number, torn):
            break
        data = path.read_bytes()
        if data[:SLOT] != data[SLOT:SLOTS]:
            interrupted += 1
            every_state_is_old_or_new(path, image, contents, monkeypatch, remove)
    assert interrupted >= 2


def every_state_is_old_or_new(path, image, contents, monkeypatch, change):
    before, old = path.read_bytes(), contents(path)
    index = CodeIndex.open(path)
    change(index)
    calls = record(monkeypatch, lambda: index.save(path))
    new = contents(path)
    assert replay(before, calls) == path.read_bytes()
    found = []
    for state in dict.fromkeys(states(before, calls)):
        image.write_bytes(state)
        found.append(contents(image))
        assert found[-1] in (old, new)
    assert len(found) > 20
    assert old in found
    assert new in found
