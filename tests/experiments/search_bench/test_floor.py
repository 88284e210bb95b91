"""The reader that sets the floor reads all there is."""

from __future__ import annotations

import numpy as np
import pytest

from dimco.experiments.search_bench import floor
from dimco.experiments.search_bench.floor import Floor


@pytest.mark.parametrize("size", [3, 64, 100_000])
def test_it_reads_as_many_bytes_as_asked_for(size):
    made = Floor(size)
    assert made.bytes == max(8, size // 8 * 8)
    assert int(made.read()) > 0


def test_every_reader_sees_every_word():
    words = np.zeros(1_000, np.int64)
    for place in (0, 499, 999):
        words[place] = 7
        for name, read in floor._readers(words).items():
            assert int(read()) == 7, name
        words[place] = 0


def test_the_quickest_is_taken(monkeypatch):
    times = {"a": 3.0, "b": 1.0, "c": 2.0}
    monkeypatch.setattr(floor, "_readers", lambda _: {name: (lambda name=name: name) for name in times})
    monkeypatch.setattr(floor, "seconds", lambda work: times[work()])
    made = Floor(64)
    assert (made.reader, made.read()) == ("b", "b")
