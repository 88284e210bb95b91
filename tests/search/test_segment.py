import numpy as np
import pytest

from dimco.search.layout import Layout
from dimco.search.segment import joined, new_segment
from dimco.spec import CodeSpec

LAYOUT = Layout(CodeSpec(5, 3))


def contents(segment):
    rows = segment.live_rows()
    labels = [None] * len(rows) if segment.labels is None else segment.labels[rows].tolist()
    return list(zip(segment.ids_at(rows).tolist(), segment.symbols_at(rows).tolist(), labels, strict=True))


def make(rng, ids, labelled=True):
    symbols = rng.integers(0, 5, (len(ids), 3))
    labels = np.arange(len(ids)) if labelled else None
    segment = new_segment(LAYOUT, symbols, np.array(ids), labels)
    values = labels.tolist() if labelled else [None] * len(ids)
    return segment, sorted(zip(ids, symbols.tolist(), values, strict=True))


@pytest.mark.parametrize("labelled", [True, False])
@pytest.mark.parametrize("ids", [[3], [5, 6, 7], [7, 5, 6], [9, 1, 4], list(range(100, 0, -1))])
def test_items_stand_in_the_order_of_their_ids(rng, ids, labelled):
    segment, expected = make(rng, ids, labelled)
    assert contents(segment) == expected
    assert isinstance(segment.ids, int) == (max(ids) - min(ids) == len(ids) - 1)
    assert segment.last_id == max(ids)


@pytest.mark.parametrize("ids", [list(range(10, 110)), [4, 8, 90, 2**62]])
def test_ids_are_located_unless_removed(rng, ids):
    segment, _ = make(rng, ids)
    wanted = np.array([0, *ids, 9, 2**62 + 1, 110])
    assert segment.locate(wanted).tolist() == [ids.index(item) if item in ids else -1 for item in wanted.tolist()]
    left = segment.without(np.array([1, 3]))
    assert left.locate(np.array(ids[:4])).tolist() == [0, -1, 2, -1]
    assert segment.locate(np.array(ids[:4])).tolist() == [0, 1, 2, 3]
    assert left.live == len(ids) - 2


def test_nothing_is_left_of_a_segment_without_items(rng):
    segment, _ = make(rng, [1, 2])
    assert segment.without(np.array([0])).without(np.array([1])) is None


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (range(64), range(64, 70)),
        (range(128), range(128, 300)),
        (range(10), range(10, 20)),
        (range(64), range(100, 110)),
        (range(64, 128), range(64)),
        ([9, 3, 5], [4, 1]),
    ],
)
@pytest.mark.parametrize("labelled", [True, False])
@pytest.mark.parametrize("remove", [False, True])
def test_two_segments_are_joined(rng, first, second, labelled, remove):
    parts = [make(rng, list(ids), labelled) for ids in (first, second)]
    segments, expected = [segment for segment, _ in parts], [entry for _, held in parts for entry in held]
    if remove:
        segments[0] = segments[0].without(np.array([1]))
        expected.remove(parts[0][1][1])
    whole = joined(*segments)
    assert contents(whole) == sorted(expected)
    assert whole.keep is None
    assert whole.live == whole.rows == len(expected)
