"""Which of a shard's processes is asked, and what becomes of a lost one; no cluster is needed."""

from __future__ import annotations

from itertools import count

import pytest

from dimco.cluster import replicas as module
from dimco.cluster.replicas import Replica, ReplicaSet
from dimco.errors import ClusterError


@pytest.fixture
def started(monkeypatch):
    """The numbers, in place of greetings, of the processes that have started."""
    there: set[int] = set()
    monkeypatch.setattr(module, "_has_started", lambda greeting: greeting in there)
    return there


@pytest.fixture
def three(started, monkeypatch):
    """Three replicas whose processes are numbers, and have started."""
    numbers = count()
    monkeypatch.setattr(module, "_end", lambda _: None)
    monkeypatch.setattr(module, "release", lambda _: None)
    monkeypatch.setattr(ReplicaSet, "_start", lambda _, place: Replica(number := next(numbers), place, greeting=number))
    started |= {0, 1, 2}
    return ReplicaSet(None, None, 3)


def answered(replicas, *taken):
    for replica in taken:
        replicas.give_back(replica, answered=True)


def test_equally_busy_ones_are_asked_in_turn(three):
    for _ in range(3):
        taken = []
        for _ in range(3):
            taken.append(three.take())
            answered(three, taken[-1])
        assert sorted(replica.actor for replica in taken) == [0, 1, 2]


def test_the_least_busy_is_asked(three):
    first = [three.take() for _ in range(6)]
    assert sorted(replica.waiting for replica in three.all()) == [2, 2, 2]
    answered(three, first[1], first[4])
    assert three.take() is first[1]


def test_one_that_is_starting_waits_until_it_has_started(three, started):
    three.replace(three.all()[0], elsewhere=True)
    assert [replica.actor for replica in three.all()] == [3, 1, 2]
    assert {three.take().actor for _ in range(8)} == {1, 2}
    started.add(3)
    assert three.take().actor == 3


def test_where_all_are_starting_the_first_to_come_is_waited_for(three, started):
    started.clear()
    assert three.take() in three.all()


def test_one_is_replaced_once_however_many_find_it_lost(three):
    lost = three.all()[2]
    for _ in range(3):
        three.replace(lost, elsewhere=False)
    assert [replica.actor for replica in three.all()] == [0, 1, 3]


def test_a_lone_one_on_a_lost_node_gets_its_room_elsewhere(three, monkeypatch):
    asked_for, given_back = [], []
    monkeypatch.setattr(module, "group_for", lambda file, replicas: asked_for.append((file, replicas)) or "elsewhere")
    monkeypatch.setattr(module, "release", given_back.extend)
    alone = ReplicaSet("file", "here", 1)
    alone.replace(alone.all()[0], elsewhere=False)
    three.replace(three.all()[0], elsewhere=True)
    assert (asked_for, given_back) == ([], [])
    alone.replace(alone.all()[0], elsewhere=True)
    alone.stop()
    assert (asked_for, given_back) == ([("file", 1)], ["here", "elsewhere"])


def test_once_stopped_none_is_started_or_asked(three):
    lost = three.all()[0]
    three.stop()
    three.replace(lost, elsewhere=False)
    assert three.all() == []
    with pytest.raises(ClusterError, match="it was closed"):
        three.take()
