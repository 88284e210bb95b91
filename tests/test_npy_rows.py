"""Arrays written row by row."""

from __future__ import annotations

import numpy as np
import pytest

from dimco.errors import FileError, InputError
from dimco.npy_rows import npy_rows


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("pieces", [[3, 4], [1] * 12, []])
def test_the_file_is_the_array_of_all_rows(tmp_path, rng, dtype, pieces):
    parts = [rng.normal(size=(n, 5)) for n in pieces]
    with npy_rows(tmp_path / "x.npy", 5, dtype) as writer:
        for part in parts:
            writer.append(part)
    found = np.load(tmp_path / "x.npy", mmap_mode="r" if pieces else None)
    np.testing.assert_array_equal(found, np.concatenate([np.empty((0, 5)), *parts]).astype(dtype))
    assert found.dtype == dtype
    assert [path.name for path in tmp_path.iterdir()] == ["x.npy"]


def test_an_interrupted_write_leaves_the_old_file(tmp_path):
    np.save(tmp_path / "x.npy", np.ones((2, 2)))

    def interrupted():
        with npy_rows(tmp_path / "x.npy", 5, "float16") as writer:
            writer.append(np.zeros((3, 5)))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), np.ones((2, 2)))
    assert len(list(tmp_path.iterdir())) == 1


def test_rows_of_another_width_and_absent_folders_are_refused(tmp_path):
    with (
        pytest.raises(InputError, match=r"rows of shape \(n, 5\); got \(3, 4\)"),
        npy_rows(tmp_path / "x", 5, "f4") as w,
    ):
        w.append(np.zeros((3, 4)))
    with pytest.raises(FileError, match="cannot write"), npy_rows(tmp_path / "no" / "x.npy", 5, "f4"):
        pass
