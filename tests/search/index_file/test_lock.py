import os

import pytest

from dimco.errors import FileError
from dimco.search.index_file.lock import is_still, locked


def test_a_file_is_locked_once(tmp_path):
    path = str(tmp_path / "file")
    (tmp_path / "file").touch()
    with (
        locked(path, os.O_RDWR),
        pytest.raises(FileError, match=r"cannot write .* another process or thread is writing it"),
        locked(path, os.O_RDONLY),
    ):
        pytest.fail("locked twice")
    with locked(path, os.O_RDONLY) as descriptor:
        assert is_still(descriptor, path)


def test_what_is_no_file_is_not_locked(tmp_path):
    for path in (tmp_path / "nothing", tmp_path):
        with locked(str(path), os.O_RDONLY) as descriptor:
            assert descriptor is None


def test_a_file_that_was_replaced_is_noticed(tmp_path):
    path = tmp_path / "file"
    path.touch()
    with locked(str(path), os.O_RDONLY) as descriptor:
        (tmp_path / "other").touch()
        (tmp_path / "other").replace(path)
        assert not is_still(descriptor, str(path))
        path.unlink()
        assert not is_still(descriptor, str(path))
