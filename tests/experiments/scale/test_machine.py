"""Measuring one machine, with next to nothing."""

import pytest

from dimco.errors import FileError
from dimco.experiments.scale.machine import file_bytes_a_second, measure_machine, scan_rows
from dimco.spec import CodeSpec


def test_scans_are_rows_of_one_and_two_threads_alone_and_at_once():
    rows = scan_rows(CodeSpec(64, 64), 1 << 20)
    assert [(row["queries"], row["threads"]) for row in rows] == [(1, 1), (1, 2), (64, 1), (64, 2)]
    for row in rows:
        assert row["items"] == (1 << 20) // 64
        assert row["bytes"] == 1 << 20
        assert 0 < row["seconds"] <= row["median_seconds"]


def test_a_file_is_read_and_nothing_of_it_stays(tmp_path):
    assert file_bytes_a_second(1 << 23, tmp_path) > 0
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path):
    with pytest.raises(FileError, match=r"cannot write 1,024 bytes to measure reading in .*none: No such file"):
        file_bytes_a_second(1_024, tmp_path / "none")


def test_figures_know_every_spec_and_say_so(tmp_path):
    said = []
    figures = measure_machine([CodeSpec(16, 4), CodeSpec(64, 2)], 1 << 18, tmp_path, said.append)
    assert figures.bytes_a_second(CodeSpec(64, 2)) > 0
    assert len(figures.scans) == 8
    assert said[-1].startswith("reading a file: ")
    assert said[0].startswith("16x4, 1 threads, alone: ")
