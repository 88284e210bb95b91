import os
import sys
from pathlib import Path

import numpy as np
import pytest

from dimco import CodeIndex, CodeSpec
from dimco.search.index_file.header import SLOTS
from dimco.search.index_file.reader import open_stored

LARGE = CodeSpec(256, 64)


@pytest.fixture
def large(tmp_path):
    """An index file of 50 MB."""
    index = CodeIndex(LARGE)
    index.add(np.zeros((700_000, 64), dtype=np.uint8), labels=np.arange(700_000))
    index.save(tmp_path / "index")
    return tmp_path / "index"


def test_opening_reads_the_header_and_the_directory_and_nothing_else(large, monkeypatch):
    read, pread = [], os.pread
    monkeypatch.setattr(os, "pread", lambda *arguments: (read.append(arguments[1]), pread(*arguments))[1])
    index = CodeIndex.open(large)
    header = open_stored(large).header
    assert len(index) == 700_000
    assert sum(read[: len(read) // 2]) == SLOTS + header.directory_length < 10_000
    assert large.stat().st_size > 50_000_000
    if sys.platform == "linux":
        assert resident_kilobytes(large) == 0
        index.search(np.zeros((64, 256), dtype=np.float32))
        assert resident_kilobytes(large) > 40_000


def resident_kilobytes(path):
    """What of a mapped file this process has touched."""
    lines = iter(Path("/proc/self/smaps").read_text().splitlines())
    total = 0
    for line in lines:
        if line.endswith(str(path)):
            total += int(next(entry for entry in lines if entry.startswith("Rss:")).split()[1])
    return total


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_whoever_opens_a_file_while_another_process_appends_sees_a_whole_commit(tmp_path):
    path = tmp_path / "index"
    index = CodeIndex(CodeSpec(5, 3))
    index.save(path)
    child = os.fork()
    if child == 0:
        try:
            for number in range(150):
                index.add([[number % 5] * 3] * 2)
                index.save(path)
            os._exit(0)
        finally:
            os._exit(1)
    lengths = []
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        opened = CodeIndex.open(path)
        lengths.append(len(opened))
        ids = opened.ids
        assert opened.reconstruct(ids).tolist() == [[item // 2 % 5] * 3 for item in ids]
    assert lengths == sorted(lengths)
    assert len(set(lengths)) > 3
    assert len(CodeIndex.open(path)) == 300
