"""Sizes on paper."""

import pytest

from dimco.experiments.scale.paper import Assumed, by_memory, by_time, code_bytes, down_share
from dimco.spec import CodeSpec

SMALL, LARGE = CodeSpec(16, 16), CodeSpec(64, 64)


def test_a_symbol_of_16_takes_a_nibble_and_one_of_64_a_byte():
    assert code_bytes(SMALL, 10**9) == 8 * 10**9
    assert code_bytes(LARGE, 10**9) == 64 * 10**9


def test_memory_cuts_into_as_few_machines_as_hold_it(figures):
    sizing = by_memory(LARGE, 10**9, figures, Assumed(memory=16e9))
    assert (sizing.nbytes, sizing.shards) == (64 * 10**9, 4)
    assert sizing.seconds == pytest.approx(16 / 8), "64x64 is faster on one thread here"
    assert by_memory(SMALL, 10**9 + 1, figures, Assumed(memory=8e9)).shards == 2


def test_time_cuts_until_a_scan_is_quick_enough(figures):
    sizing = by_time(SMALL, 10**9, figures, Assumed(), 0.1)
    assert (sizing.shards, sizing.seconds) == (4, pytest.approx(0.1))
    assert by_time(SMALL, 10**9, figures, Assumed(memory=1e9), 0.1).shards == 8, "memory still holds"


def test_a_machine_is_away_until_its_shard_is_read_again(figures):
    assumed = Assumed(days_up=1, noticed=40)
    sizing = by_memory(SMALL, 10**9, figures, assumed)
    assert down_share(sizing, figures, assumed) == pytest.approx(48 / (86_400 + 48))
