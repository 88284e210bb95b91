import errno
import os
import resource
import shutil
import signal

import numpy as np
import pytest

from dimco import CodeIndex, CodeSpec, Where
from dimco.errors import FileError
from dimco.search.index_file.describe import describe
from dimco.search.index_file.header import SLOTS
from dimco.search.index_file.lock import locked
from dimco.search.index_file.reader import open_stored


@pytest.mark.parametrize("code", ["2x9", "4x5", "16x4", "200x3", "60000x2"])
@pytest.mark.parametrize("labels", [None, "int", "str"])
def test_a_saved_index_opens_the_same_and_is_searched_where_it_is_mapped(
    tmp_path, rng, slow_index, draw_log_probs, code, labels
):
    spec = CodeSpec.parse(code)
    index, path = CodeIndex(spec), tmp_path / "index"
    for first in (0, 1000):
        symbols, numbers = rng.integers(0, spec.k, (150, spec.d)), rng.integers(0, 9, 150)
        given = {None: None, "int": numbers.tolist(), "str": [f"é{n}" for n in numbers]}[labels]
        ids = first + rng.permutation(300)[:150]
        index.add(symbols, ids, given)
        slow_index.add(symbols, ids, given)
    index.remove(index.ids[:20])
    slow_index.remove(sorted(slow_index.codes)[:20])
    index.save(path)
    for same in (index, CodeIndex.open(path)):
        slow_index.same_as(same)
        log_probs = draw_log_probs(spec.d, spec.k, tied=True)
        assert same.search(log_probs, 30).ids.tolist() == slow_index.search(log_probs, 30)[0]
    opened = CodeIndex.open(path)
    assert not any(segment.blocks.flags.writeable for segment in opened._snapshot.segments)
    assert opened.add(np.zeros((1, spec.d), int), labels=labels and given[:1]).tolist() == [max(slow_index.codes) + 1]


def test_an_empty_index_is_saved_and_appended_to(tmp_path, contents):
    path = tmp_path / "index"
    CodeIndex(CodeSpec(5, 3)).save(path)
    assert contents(path) == []
    index = CodeIndex.open(path)
    index.add([[1, 2, 3]], labels=["a"])
    index.save(path)
    index.remove([0])
    index.save(path)
    assert contents(path) == []
    index.add([[1, 2, 3]], labels=[5])
    index.save(path)
    assert contents(path) == [(1, [1, 2, 3], 5)]


def test_an_append_leaves_what_is_there_as_it_is(tmp_path, rng, contents):
    path = tmp_path / "index"
    index = CodeIndex(CodeSpec(16, 16))
    index.add(rng.integers(0, 16, (70_000, 16)))
    index.save(path)
    before = path.read_bytes()
    index = CodeIndex.open(path)
    index.add(rng.integers(0, 16, (10, 16)))
    index.remove([5])
    index.save(path)
    after = path.read_bytes()
    assert after[SLOTS : len(before)] == before[SLOTS:]
    assert len(after) - len(before) < 12_000
    assert describe(path)["generation"] == 2
    assert len(contents(path)) == 70_009


def test_saves_in_a_row_append_only_what_is_new(tmp_path, contents):
    index, path = CodeIndex(CodeSpec(16, 16)), tmp_path / "index"
    for number in range(30):
        index.add(np.full((1, 16), number % 16), labels=[f"name {number % 3}"])
        index.save(path)
    assert describe(path)["generation"] == 30
    assert describe(path)["classes"] == 3
    assert [symbols[0] for _, symbols, _ in contents(path)] == [number % 16 for number in range(30)]


def test_compaction_shrinks_the_file(tmp_path, rng):
    index, path = CodeIndex(CodeSpec(16, 16)), tmp_path / "index"
    index.add(rng.integers(0, 16, (10_000, 16)), labels=[f"name {n}" for n in range(10_000)])
    index.save(path)
    index.remove(np.arange(9_000))
    index.save(path)
    size = path.stat().st_size
    index.compact()
    index.save(path)
    assert path.stat().st_size < size / 5
    assert describe(path)["classes"] == 1_000
    assert describe(path)["removed"] == 0
    index.add([[1] * 16], labels=["name 9999"])
    index.save(path)
    assert describe(path)["generation"] == 2


def test_an_index_saved_elsewhere_lives_there_from_then_on(tmp_path, small_index, contents):
    first, second = tmp_path / "first", tmp_path / "second"
    small_index.save(first)
    held = contents(first)
    index = CodeIndex.open(first)
    index.save(second)
    index.add([[1, 1, 1]], labels=["x"])
    index.save(second)
    assert contents(first) == held
    assert len(contents(second)) == len(held) + 1
    assert describe(second)["generation"] == 2


def test_a_link_is_followed(tmp_path, small_index, contents):
    (tmp_path / "link").symlink_to(tmp_path / "index")
    small_index.save(tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    small_index.add([[1, 1, 1]], labels=["x"])
    small_index.save(tmp_path / "index")
    assert describe(tmp_path / "link")["generation"] == 2


def test_items_merged_from_another_file_are_written(tmp_path, contents):
    paths = [tmp_path / "first", tmp_path / "second"]
    for number, path in enumerate(paths):
        index = CodeIndex(CodeSpec(5, 3))
        index.add([[number, 1, 2]], ids=[number], labels=[f"name {number}"])
        index.save(path)
    index = CodeIndex.open(paths[0])
    index.merge(CodeIndex.open(paths[1]))
    index.save(paths[0])
    paths[1].unlink()
    assert contents(paths[0]) == [(0, [0, 1, 2], "name 0"), (1, [1, 1, 2], "name 1")]


def test_a_file_changed_by_another_writer_is_not_written(tmp_path, small_index, contents):
    path = tmp_path / "index"
    small_index.save(path)
    first, second = CodeIndex.open(path), CodeIndex.open(path)
    first.add([[1, 1, 1]], labels=["x"])
    first.save(path)
    held = contents(path)
    second.add([[2, 2, 2]], labels=["y"])
    for prepare in (lambda: None, second.compact):
        prepare()
        with pytest.raises(FileError, match="it was changed since this index was opened or saved"):
            second.save(path)
        assert contents(path) == held
    second.save(tmp_path / "other")
    assert contents(tmp_path / "other")[-1][1] == [2, 2, 2]


@pytest.mark.parametrize("replacement", ["copy of an older commit", "another index", "text"])
def test_a_file_that_was_replaced_is_not_written(tmp_path, small_index, replacement):
    path, old = tmp_path / "index", tmp_path / "old"
    small_index.save(path)
    shutil.copy(path, old)
    index = CodeIndex.open(path)
    index.add([[1, 1, 1]], labels=["x"])
    index.save(path)
    if replacement == "another index":
        CodeIndex(CodeSpec(5, 3)).save(old)
    elif replacement == "text":
        old.write_text("text " * 5000)
    old.replace(path)
    held = path.read_bytes()
    index.add([[1, 1, 1]], labels=["x"])
    with pytest.raises(FileError):
        index.save(path)
    assert path.read_bytes() == held


def test_a_file_that_was_removed_is_written_anew(tmp_path, small_index, contents):
    path = tmp_path / "index"
    small_index.save(path)
    held = contents(path)
    path.unlink()
    small_index.save(path)
    assert contents(path) == held


def test_a_file_that_another_writes_at_the_moment_is_refused(tmp_path, small_index, contents):
    path = tmp_path / "index"
    small_index.save(path)
    held = contents(path)
    fresh = CodeIndex(CodeSpec(5, 3))
    with locked(str(path), os.O_RDWR):
        for index in (small_index, fresh):
            with pytest.raises(FileError, match="another process or thread is writing it"):
                index.save(path)
    assert contents(path) == held
    small_index.save(path)


def test_readers_keep_what_they_opened(tmp_path, small_index, draw_log_probs):
    path = tmp_path / "index"
    small_index.save(path)
    reader, writer = CodeIndex.open(path), CodeIndex.open(path)
    log_probs = draw_log_probs(3, 5, tied=True)
    expected, ids = reader.search(log_probs, 100), reader.ids

    def unchanged():
        found = reader.search(log_probs, 100)
        return np.array_equal(found.ids, expected.ids) and np.array_equal(found.labels, expected.labels)

    for _ in range(5):
        writer.add([[1, 2, 3]], labels=["new"])
        writer.remove(writer.ids[:1])
        writer.save(path)
        assert unchanged()
    writer.compact()
    writer.save(path)
    assert unchanged()
    assert np.array_equal(reader.ids, ids)
    path.unlink()
    assert unchanged()


@pytest.mark.parametrize("new", [False, True])
@pytest.mark.parametrize("fail", ["pwrite", "fsync"])
def test_a_full_disk_is_a_file_error_and_leaves_the_old_file(tmp_path, small_index, contents, monkeypatch, new, fail):
    path = tmp_path / "index"
    small_index.save(path)
    held = path.read_bytes()
    index = CodeIndex.open(path)
    index.add([[1, 1, 1]], labels=["x"])
    if new:
        index.compact()

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, fail, full)
        with pytest.raises(FileError, match=r"cannot write .*No space left"):
            index.save(path)
    assert path.read_bytes() == held
    assert list(tmp_path.iterdir()) == [path]
    index.save(path)
    assert contents(path)[-1][1] == [1, 1, 1]


@pytest.mark.parametrize("fail", ["pwrite", "fsync", "ftruncate"])
def test_a_disk_that_fails_at_any_call_leaves_the_old_or_the_new_index(
    tmp_path, small_index, contents, monkeypatch, fail
):
    path, original = tmp_path / "index", tmp_path / "original"
    small_index.save(original)
    old = contents(original)
    real, calls = getattr(os, fail), 0

    def failing(*arguments):
        nonlocal calls
        calls += 1
        if calls == number:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return real(*arguments)

    for number in range(1, 50):  # noqa: B007
        shutil.copy(original, path)
        index, calls = CodeIndex.open(path), 0
        index.add([[1, 1, 1]], ids=[900], labels=["x"])
        with monkeypatch.context() as patch:
            patch.setattr(os, fail, failing)
            try:
                index.save(path)
                break
            except FileError:
                pass
        assert contents(path) in (old, [*old, (900, [1, 1, 1], "x")])
        again = CodeIndex.open(path)
        again.remove(again.ids[:1])
        again.save(path)
        assert contents(path) in (old[1:], [*old[1:], (900, [1, 1, 1], "x")])
    assert number > 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("new", [False, True])
def test_a_limit_on_the_size_of_files_is_a_full_disk(tmp_path, rng, new):
    path = tmp_path / "index"
    index = CodeIndex(CodeSpec(16, 16))
    index.add(rng.integers(0, 16, (1000, 16)))
    index.save(path)
    held = path.read_bytes()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))
            index.add(rng.integers(0, 16, (100_000, 16)))
            index.save(tmp_path / "new" if new else path)
        except FileError as error:
            code = 0 if "too large" in str(error) else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert path.read_bytes() == held
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="permissions do not bind this user")
def test_a_folder_that_cannot_be_written_is_a_file_error(tmp_path, small_index):
    tmp_path.chmod(0o500)
    with pytest.raises(FileError, match="Permission denied"):
        small_index.save(tmp_path / "index")


def test_a_missing_folder_and_a_folder_in_place_of_the_file_are_file_errors(tmp_path, small_index):
    with pytest.raises(FileError, match="cannot write"):
        small_index.save(tmp_path / "nowhere" / "index")
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileError, match="cannot write"):
        small_index.save(tmp_path / "folder")
    assert list(tmp_path.iterdir()) == [tmp_path / "folder"]


def test_a_failed_save_does_not_lose_what_is_in_memory(tmp_path, small_index):
    before = small_index.ids.tolist()
    with pytest.raises(FileError):
        small_index.save(tmp_path / "nowhere" / "index")
    assert small_index.ids.tolist() == before
    small_index.save(tmp_path / "index")
    assert CodeIndex.open(tmp_path / "index").ids.tolist() == before


def test_a_save_with_nothing_new_changes_nothing_but_the_generation(tmp_path, small_index, contents):
    path = tmp_path / "index"
    small_index.save(path)
    held = contents(path)
    small_index.save(path)
    assert contents(path) == held
    assert describe(path)["generation"] == 2


def test_an_interrupted_commit_is_taken_away_by_the_next(tmp_path, small_index, contents):
    path = tmp_path / "index"
    small_index.save(path)
    held = contents(path)
    with path.open("ab") as file:
        file.write(b"garbage" * 1000)
    assert contents(path) == held
    index = CodeIndex.open(path)
    index.add([[1, 1, 1]], labels=["x"])
    index.save(path)
    assert path.stat().st_size == open_stored(path).header.end
    assert len(contents(path)) == len(held) + 1


def test_filters_work_on_the_map(tmp_path, small_index, draw_log_probs):
    small_index.save(tmp_path / "index")
    opened = CodeIndex.open(tmp_path / "index")
    log_probs, where = draw_log_probs(3, 5), Where(labels=["name 3", "é"])
    assert opened.search(log_probs, 20, where).ids.tolist() == small_index.search(log_probs, 20, where).ids.tolist()


def test_files_of_one_commit_hold_the_same_and_an_index_knows_its_own(tmp_path):
    index = CodeIndex(CodeSpec(k=2, d=2))
    assert (index.commit, index.label_kind) == (None, None)
    index.add([[0, 1]], labels=["a"])
    index.save(tmp_path / "one")
    assert (index.commit, index.label_kind) == (CodeIndex.open(tmp_path / "one").commit, "str")
    first = index.commit
    index.add([[1, 1]], labels=["b"])
    index.save(tmp_path / "one")
    assert first != index.commit == CodeIndex.open(tmp_path / "one").commit
