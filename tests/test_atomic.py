import os
import stat

import pytest

from dimco.atomic import atomic_folder, atomic_path, write_text
from dimco.errors import FileError


def test_a_new_file_appears_when_the_block_ends(tmp_path):
    target = tmp_path / "file"
    with atomic_path(target) as temporary:
        temporary.write_text("new")
        assert temporary.parent == target.parent
        assert not target.exists()
    assert target.read_text() == "new"
    assert list(tmp_path.iterdir()) == [target]


def test_an_old_file_stays_whole_until_the_block_ends(tmp_path):
    target = tmp_path / "file"
    target.write_text("old")
    with atomic_path(str(target)) as temporary:
        temporary.write_text("new")
        assert target.read_text() == "old"
    assert target.read_text() == "new"


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_an_error_leaves_the_old_file_and_no_temporary_one(tmp_path, error):
    target = tmp_path / "file"
    target.write_text("old")

    def write_half():
        with atomic_path(target) as temporary:
            temporary.write_text("half")
            raise error

    with pytest.raises(error):
        write_half()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_full_disk_leaves_the_old_file_and_becomes_a_file_error(tmp_path):
    target = tmp_path / "file"
    target.write_text("old")
    with pytest.raises(FileError, match=r"cannot write .*No space left"), atomic_path(target):
        raise OSError(28, "No space left on device")
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_missing_folder_is_a_file_error(tmp_path):
    with pytest.raises(FileError, match="cannot write"):
        write_text(tmp_path / "nowhere" / "file", "text")


def test_a_file_in_place_of_the_folder_is_a_file_error(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(FileError, match="cannot write"):
        write_text(tmp_path / "file" / "file", "text")


def test_a_folder_in_place_of_the_file_is_a_file_error_and_leaves_nothing(tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileError, match="cannot write"):
        write_text(tmp_path / "folder", "text")
    assert list(tmp_path.iterdir()) == [tmp_path / "folder"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="permissions do not bind this user")
def test_an_unwritable_folder_is_a_file_error(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(FileError, match="Permission denied"):
        write_text(tmp_path / "file", "text")


def test_a_refusal_of_the_system_is_a_file_error(tmp_path, monkeypatch):
    def refuse(**_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tempfile.mkstemp", refuse)
    with pytest.raises(FileError, match="Permission denied"):
        write_text(tmp_path / "file", "text")


@pytest.mark.skipif(os.name != "posix", reason="POSIX permissions")
def test_permissions_are_those_of_an_ordinary_new_file(tmp_path):
    (tmp_path / "ordinary").touch()
    write_text(tmp_path / "file", "text")
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == stat.S_IMODE((tmp_path / "ordinary").stat().st_mode)


def test_text_is_utf_8(tmp_path):
    write_text(tmp_path / "file", "é 日本")
    assert (tmp_path / "file").read_bytes() == "é 日本".encode()


def test_a_folder_is_there_with_all_its_files_or_not_at_all(tmp_path):
    with pytest.raises(KeyError), atomic_folder(tmp_path / "made") as folder:
        raise KeyError(folder)
    assert list(tmp_path.iterdir()) == []
    with atomic_folder(tmp_path / "made") as folder:
        (folder / "file").write_text("whole")
        assert not (tmp_path / "made").exists()
    assert [str(path.relative_to(tmp_path)) for path in sorted(tmp_path.rglob("*"))] == ["made", "made/file"]
    with pytest.raises(FileError, match=r"cannot write .*made"), atomic_folder(tmp_path / "made") as folder:
        (folder / "other").touch()
    assert [path.name for path in tmp_path.iterdir()] == ["made"]
