"""What does not fit is said before it is tried."""

from __future__ import annotations

import pytest

from dimco.experiments.search_bench import memory
from dimco.experiments.search_bench.memory import Unfit, need_memory


def test_more_than_is_free_does_not_fit(tmp_path, monkeypatch):
    (tmp_path / "meminfo").write_text("MemTotal: 9000000 kB\nMemAvailable: 3000000 kB\n", encoding="ascii")
    monkeypatch.setattr(memory, "_MEMORY", tmp_path / "meminfo")
    need_memory(1_900_000_000)
    with pytest.raises(Unfit, match=r"needs 2\.5 GB of memory; 3\.1 GB are free"):
        need_memory(2_500_000_000)


def test_where_the_system_does_not_tell_all_fits(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "_MEMORY", tmp_path / "absent")
    need_memory(1 << 60)
