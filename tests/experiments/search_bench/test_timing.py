"""The clock, against a clock that the test turns by hand."""

from __future__ import annotations

import pytest
import threadpoolctl

from dimco.experiments.search_bench import timing
from dimco.experiments.search_bench.timing import Contender, Pace, take_turns


class World:
    """Contenders that take a known time a query, and a list of who was asked what."""

    def __init__(self, monkeypatch):
        self.now, self.asked = 0.0, []
        monkeypatch.setattr(timing.time, "perf_counter", lambda: self.now)

    def contender(self, name, seconds, threads=1):
        def ask(queries):
            self.asked.append((name, queries))
            self.now += seconds * (queries.stop - queries.start)

        return Contender(name, threads, ask)


@pytest.fixture
def world(monkeypatch):
    return World(monkeypatch)


def pace(**changes):
    return Pace(**{"rounds": 6, "queries": 4, "at_once": False, "turn": 1.0, "total": 10.0, **changes})


def test_milliseconds_a_query_of_every_round(world):
    quick, slow = world.contender("quick", 0.01), world.contender("slow", 0.1)
    take_turns([quick, slow], pace(), available=100)
    assert quick.ms == pytest.approx([10] * 6)
    assert slow.ms == pytest.approx([100] * 6)
    assert (quick.queries, quick.rounds) == (4, 6)


def test_contenders_take_turns_and_the_first_changes(world):
    pair = [world.contender("a", 0.01), world.contender("b", 0.01)]
    take_turns(pair, pace(rounds=3, queries=1), available=100)
    turns = [name for name, _ in world.asked][4:]
    assert turns == ["a", "b", "b", "a", "a", "b"]


def test_single_queries_go_round_the_queries_there_are(world):
    contender = world.contender("a", 0.01)
    take_turns([contender], pace(rounds=3), available=5)
    asked = [queries.start for _, queries in world.asked][2:]
    assert asked == [number % 5 for number in range(12)]


def test_a_batch_is_one_call(world):
    contender = world.contender("a", 0.001)
    take_turns([contender], pace(at_once=True, queries=40), available=30)
    assert [queries for _, queries in world.asked][2:] == [slice(0, 30)] * 6


def test_a_slow_one_gets_fewer_queries_then_fewer_rounds_but_some(world):
    slow, slower = world.contender("slow", 0.5), world.contender("slower", 4.0)
    take_turns([slow, slower], pace(total=4.0), available=100)
    assert (slow.queries, slow.rounds) == (2, 4)
    assert (slower.queries, slower.rounds) == (1, 3)
    assert len(slower.ms) == 3


def test_rounds_of_a_slow_one_are_spread(world):
    take_turns([world.contender("quick", 0.01), world.contender("slow", 4.0)], pace(queries=1), available=100)
    turns = "".join(name[0] for name, _ in world.asked)[4:]
    assert [index for index, part in enumerate(turns.split("q")) if "s" in part] != [0, 1, 2]
    assert turns.count("s") == 3


def test_each_has_its_threads():
    def threads():
        return {pool["num_threads"] for pool in threadpoolctl.threadpool_info()}

    seen = {}
    for wanted in (1, 2):
        contender = Contender("a", wanted, lambda _, wanted=wanted: seen.setdefault(wanted, threads()))
        take_turns([contender], pace(rounds=1, queries=1, total=0.01), available=1)
    assert seen[1] == {1}
    assert 2 in seen[2]
