"""A collection in a database answers as the index it was filled from."""

import signal
import subprocess
import sys

import numpy as np
import pytest

from dimco import CodeIndex, CodeSpec
from dimco.adapters.collection import Collection
from dimco.adapters.database import Items
from dimco.adapters.opening import open_collection
from dimco.errors import DatabaseError, InputError

from .conftest import address_of


def assert_same(found, expected):
    np.testing.assert_array_equal(found.ids, expected.ids)
    np.testing.assert_array_equal(found.scores, expected.scores)
    if expected.labels is None:
        assert found.labels is None
    else:
        np.testing.assert_array_equal(found.labels, expected.labels)


def test_search_gives_the_answer_of_the_index_with_its_ties_and_labels(collection_of, index, queries):
    collection = collection_of(index.spec)
    assert collection.push(index) == (600, 0)
    assert len(collection) == 600
    for n in (1, 10, 600, 700):
        assert_same(collection.search(queries, n), index.search(queries, n))
    assert_same(collection.search(queries[0], 3), index.search(queries[0], 3))


def test_symbols_that_cannot_be_come_last_in_the_order_of_the_index(collection_of, index, queries):
    collection = collection_of(index.spec)
    collection.push(index)
    queries[0, 0, 1:] = -np.inf
    queries[1, 3, 2] = -np.inf
    queries[2, 1] = -np.inf
    queries[3] = 0
    for n in (10, 600):
        assert_same(collection.search(queries, n), index.search(queries, n))


def test_an_interrupted_push_goes_on_without_duplicates(collection_of, index, queries, monkeypatch):
    collection = collection_of(index.spec)
    database = collection._database
    monkeypatch.setattr(type(database), "at_once", 250)
    put = type(database).put

    def fails_at_the_second_part(self, items):
        if len(self) >= 250:
            raise DatabaseError("the line was cut")
        put(self, items)

    monkeypatch.setattr(type(database), "put", fails_at_the_second_part)
    with pytest.raises(DatabaseError, match="cut"):
        collection.push(index)
    monkeypatch.setattr(type(database), "put", put)
    done = []
    assert collection.push(index, done.append) == (350, 250)
    assert done == [250, 500, 600]
    assert len(collection) == 600
    assert_same(collection.search(queries, 20), index.search(queries, 20))


KILLED = """
import os, signal, sys
from dimco import CodeIndex
from dimco.adapters.opening import open_collection
index = CodeIndex.open(sys.argv[1])
collection = open_collection(sys.argv[2], sys.argv[3], "codes", index.spec)
collection.push(index, lambda done: done >= 4_000 and os.kill(os.getpid(), signal.SIGKILL))
"""


@pytest.mark.parametrize("engine", ["qdrant folder", "milvus"])
def test_a_push_whose_process_is_killed_goes_on_without_duplicates(engine, tmp_path, rng):
    at, name = address_of(engine, tmp_path), engine.split()[0]
    index = CodeIndex(CodeSpec(4, 5))
    index.add(rng.integers(0, 4, (6_000, 5)))
    index.save(tmp_path / "codes.index")
    killed = subprocess.run([sys.executable, "-c", KILLED, tmp_path / "codes.index", name, at], check=False)
    assert killed.returncode == -signal.SIGKILL
    collection = open_collection(name, at, "codes")
    done = len(collection)
    assert 0 < done < 6_000
    assert collection.push(index) == (6_000 - done, done)
    assert len(collection) == 6_000
    assert_same(collection.search(np.zeros((5, 4)), 20), index.search(np.zeros((5, 4)), 20))
    collection.close()


def test_a_push_writes_what_changed_and_remove_takes_items_out(collection_of, index, queries):
    collection = collection_of(index.spec)
    collection.push(index)
    changed = index.ids[[3, 400]]
    index.update(changed, (index.reconstruct(changed) + 1) % 4, labels=["new", "new"])
    assert collection.push(index) == (2, 598)
    gone = index.ids[::2]
    index.remove(gone)
    assert collection.remove([*gone.tolist(), 8_999_999]) == len(gone)
    assert len(collection) == 300
    assert_same(collection.search(queries, 25), index.search(queries, 25))


def test_codes_without_labels_have_none_and_integer_labels_stay_integers(collection_of):
    spec = CodeSpec(3, 2)
    table = np.log(np.full((2, 3), 1 / 3, np.float32))
    for labels in (None, [7, -1]):
        index = CodeIndex(spec)
        index.add([[0, 1], [2, 2]], labels=labels)
        collection = collection_of(spec)
        collection.push(index)
        assert_same(collection.search(table, 2), index.search(table, 2))


def test_an_empty_collection_finds_nothing(collection_of):
    found = collection_of(CodeSpec(3, 2)).search(np.zeros((4, 2, 3), np.float32), 5)
    assert found.ids.shape == found.scores.shape == (4, 0)


class Plain:
    """A database that is a list, and gives few items at once; equal products come by the larger id."""

    spec, address, at_once = CodeSpec(2, 3), "a list", 100

    def __init__(self, symbols, most_found):
        self.items = Items(np.arange(len(symbols)), np.asarray(symbols), [None] * len(symbols))
        self.most_found, self.asked = most_found, []

    def __len__(self):
        return len(self.items.ids)

    def nearest(self, query, count):
        self.asked.append(count)
        weights = np.zeros(6, np.float32)
        weights[query.dimensions] = query.weights
        products = weights[self.items.symbols + np.array([0, 2, 4])].sum(1, dtype=np.float32)
        best = np.lexsort((-self.items.ids, -products))[:count]
        found = Items(self.items.ids[best], self.items.symbols[best], [None] * len(best))
        return found, products[best].astype(float)


def test_ties_are_fetched_until_the_smallest_ids_must_be_among_them():
    database = Plain([[0, 0, 0]] * 300 + [[1, 1, 1]] * 5, None)
    found = Collection(database).search(np.log([[0.9, 0.1]] * 3), 2)
    assert found.ids.tolist() == [0, 1]
    assert database.asked == [24, 96, 305]
    database.asked.clear()
    assert Collection(database).search(np.log([[0.1, 0.9]] * 3), 5).ids.tolist() == [300, 301, 302, 303, 304]
    assert database.asked == [27]


def test_a_database_that_gives_too_few_items_for_an_exact_answer_is_refused():
    with pytest.raises(DatabaseError, match="at most 50 items"):
        Collection(Plain([[0, 0, 0]] * 300, 50)).search(np.log([[0.9, 0.1]] * 3), 2)


def test_an_index_of_another_spec_is_refused(index):
    with pytest.raises(InputError, match="expected an index of 2x3, as the collection; got one of 4x5"):
        Collection(Plain([[0, 0, 0]], None)).push(index)
