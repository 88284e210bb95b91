"""Folders of codes in parts: one writer, the same work, and what was left is swept."""

import json

import numpy as np
import pyarrow as pa
import pytest

from dimco import CodeSpec
from dimco.cluster.encoding.parts import (
    MOST_ATTEMPTS,
    counted_attempt,
    finished_parts,
    holds_parts,
    opened_folder,
    part_file,
    read_manifest,
    write_part,
)
from dimco.errors import ClusterError, DamagedFileError, FileError, ForeignFileError, InputError

RECORD = {"parts": 3, "source": {"files": [{"name": "a"}, {"name": "b"}]}}


def test_what_a_killed_run_left_is_swept_and_its_parts_are_kept(tmp_path):
    with opened_folder(tmp_path / "codes", RECORD):
        write_part(tmp_path / "codes", 1, CodeSpec(4, 2), pa.table({"id": [7]}), np.array([[3, 1]], np.uint8))
    (tmp_path / "codes" / ".part-00000002.parquet.x.tmp").write_bytes(b"half")
    with opened_folder(tmp_path / "codes", RECORD):
        assert sorted(file.name for file in (tmp_path / "codes").iterdir()) == [
            "manifest.json",
            "part-00000001.parquet",
        ]
        assert finished_parts(tmp_path / "codes", 3) == {1}


def test_the_place_where_other_work_differs_is_named(tmp_path):
    with opened_folder(tmp_path / "codes", RECORD):
        pass
    other = {"parts": 3, "source": {"files": [{"name": "a"}, {"name": "c"}]}}
    with (
        pytest.raises(InputError, match=r'expected source files 1 name "b", as in the work begun in .*; got "c"'),
        opened_folder(tmp_path / "codes", other),
    ):
        pass


def test_a_folder_is_held_by_one_run(tmp_path):
    with (
        opened_folder(tmp_path / "codes", RECORD),
        pytest.raises(FileError, match="another process or thread is writing it"),
        opened_folder(tmp_path / "codes", RECORD),
    ):
        pass


def test_attempts_are_counted_until_one_succeeds_or_says_why_it_does_not(tmp_path):
    class Killed(BaseException):
        pass

    def attempt(error=None):
        with counted_attempt(tmp_path, 5):
            if error:
                raise error

    for _ in range(2):
        for _ in range(MOST_ATTEMPTS - 1):
            with pytest.raises(Killed):
                attempt(Killed())
        attempt()
    for _ in range(MOST_ATTEMPTS + 1):
        with pytest.raises(InputError):
            attempt(InputError("a row holds NaN"))
    for _ in range(MOST_ATTEMPTS):
        with pytest.raises(Killed):
            attempt(Killed())
    with pytest.raises(ClusterError, match=f"workers died {MOST_ATTEMPTS} times at part 5"):
        attempt()


def test_manifests_of_other_kinds_and_damaged_ones_are_told_apart(tmp_path):
    manifest = tmp_path / "manifest.json"
    for content, error, message in (
        ("{", DamagedFileError, "is damaged"),
        ('{"kind": "shards"}', ForeignFileError, "is of something else"),
        (json.dumps({"kind": "codes in parts", "format": 9, "dimco": "3.0"}), ForeignFileError, "by dimco 3.0"),
    ):
        manifest.write_text(content)
        with pytest.raises(error, match=message):
            read_manifest(tmp_path)
    assert not holds_parts(tmp_path)
    assert part_file(tmp_path, 3).name == "part-00000003.parquet"
