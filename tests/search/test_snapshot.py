import numpy as np
import pytest

from dimco.errors import InputError
from dimco.search.layout import Layout
from dimco.search.segment import new_segment
from dimco.search.snapshot import Snapshot
from dimco.spec import CodeSpec

LAYOUT = Layout(CodeSpec(2, 1))


def grown(snapshot, ids):
    return snapshot.with_segment(new_segment(LAYOUT, np.zeros((len(ids), 1), np.uint8), np.array(ids), None), None)


def test_a_change_leaves_the_snapshot_it_was_made_from():
    empty = Snapshot(LAYOUT)
    one = grown(empty, [5, 7])
    two = one.without(np.array([5]))
    assert (empty.live, one.live, two.live) == (0, 2, 1)
    assert (empty.next_id, one.next_id, two.next_id) == (0, 8, 8)
    assert one.live_ids()[0].tolist() == [5, 7]


def test_large_segments_are_left_alone_and_small_ones_joined():
    snapshot = grown(Snapshot(LAYOUT), range(70_000))
    large = snapshot.segments[0]
    for item in range(70_000, 70_100):
        snapshot = grown(snapshot, [item])
    assert snapshot.segments[0] is large
    assert len(snapshot.segments) < 9
    assert snapshot.live == 70_100
    assert len(snapshot.scan) == len(snapshot.segments)


def test_the_work_of_single_adds_is_not_quadratic():
    """Rows copied into new segments, counted: about log2 N for each item."""
    snapshot, copied = Snapshot(LAYOUT), 0
    for item in range(4096):
        snapshot = grown(snapshot, [item])
        copied += snapshot.segments[-1].rows
    assert copied < 4096 * 13


def test_known_and_unknown_ids_are_refused():
    snapshot = grown(grown(Snapshot(LAYOUT), [5]), [3]).without(np.array([5]))
    snapshot.refuse_known(np.array([5, 4, 99]))
    snapshot.refuse_unknown(np.array([3]))
    with pytest.raises(InputError, match="an item with id 3"):
        snapshot.refuse_known(np.array([99, 3]))
    with pytest.raises(InputError, match="no item with id 5"):
        snapshot.refuse_unknown(np.array([3, 5]))
