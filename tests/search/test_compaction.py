import numpy as np

from dimco import CodeIndex, CodeSpec
from dimco.search import compaction


def test_items_and_labels_stay_and_names_no_item_has_go(rng, slow_index, monkeypatch):
    monkeypatch.setattr(compaction, "_CHUNK", 128)
    index = CodeIndex(CodeSpec(16, 3))
    for first in (5000, 0, 100_000):
        ids, symbols = first + rng.permutation(900)[:700], rng.integers(0, 16, (700, 3))
        labels = [f"name {item}" for item in ids]
        index.add(symbols, ids, labels)
        slow_index.add(symbols, ids, labels)
    gone = rng.permutation(index.ids)[:2000]
    index.remove(gone)
    slow_index.remove(gone)
    before = index._snapshot
    after = compaction.compacted(before)
    assert len(after.names) == 100
    assert len(before.names) == 2100
    assert [segment.keep for segment in after.segments] == [None]
    index.compact()
    slow_index.same_as(index)
    assert index.add(np.zeros((1, 3), int), labels=["x"]).tolist() == [before.next_id]


def test_consecutive_ids_take_no_memory():
    index = CodeIndex(CodeSpec(16, 3))
    index.add(np.zeros((100, 3), int), ids=np.arange(100)[::-1] * 2)
    index.remove(np.arange(20, 200, 2))
    index.remove([0])
    index.add(np.zeros((9, 3), int), ids=np.arange(3, 21, 2))
    index.compact()
    assert index.ids.tolist() == list(range(2, 20))
    assert index._snapshot.segments[0].ids == 2
