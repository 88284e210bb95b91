"""A collection of codes in a database, filled from an index and searched with the index's own answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dimco.adapters.database import Database, Items
from dimco.adapters.sparse import similarities, sparse_query
from dimco.errors import DatabaseError, InputError
from dimco.search.index import CodeIndex
from dimco.search.items import read_ids
from dimco.search.neighbours import Neighbours
from dimco.search.queries import read_count, read_queries
from dimco.spec import CodeSpec

_SPARE = 22
_WIDER = 4


class Pushed(NamedTuple):
    """What a push did: items written, and items that were there already and the same."""

    written: int
    unchanged: int


class Collection:
    """Codes in a database, with the ids, labels and answers of a `CodeIndex`.

    Parameters
    ----------
    database : Database
        See `dimco.adapters.opening.open_collection`.

    Notes
    -----
    The database adds in float32 and orders equal scores as it likes. So a search asks it for a few items more than
    wanted, adds up the similarity of each again as an index does, and sorts by that and by id. If the last item
    wanted does not beat, by more than the rounding, the worst item the database gave, an item it did not give might
    belong before it: then the search asks for four times as many, up to all there are. So the answer is that of
    the index, or, where a database gives no more, a refusal.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def spec(self) -> CodeSpec:
        """The shape of the codes."""
        return self._database.spec

    def __len__(self) -> int:
        return len(self._database)

    def push(self, index: CodeIndex, on_items: Callable[[int], None] | None = None) -> Pushed:
        """Write the items of an index that are not in the collection yet, or are there with another code or label.

        An interrupted push is gone on with by another one. Items of the collection that the index does not have stay.
        """
        if index.spec != self.spec:
            raise InputError(f"expected an index of {self.spec}, as the collection; got one of {index.spec}")
        written = done = 0
        for items in _parts(index, self._database.at_once):
            new = _new(items, self._database.get(items.ids))
            if len(new.ids):
                self._database.put(new)
            written, done = written + len(new.ids), done + len(items.ids)
            if on_items is not None:
                on_items(done)
        self._database.settle()
        return Pushed(written, done - written)

    def remove(self, ids: ArrayLike) -> int:
        """Remove the items with these ids; how many of them there were."""
        wanted, step = read_ids(ids), self._database.at_once
        removed = 0
        for start in range(0, len(wanted), step):
            there = self._database.get(wanted[start : start + step]).ids
            if len(there):
                self._database.delete(there)
            removed += len(there)
        self._database.settle()
        return removed

    def search(self, log_probs: Any, n: int = 10) -> Neighbours:
        """The n best items of each query: the answer of a `CodeIndex` of the same items, scores and ties included."""
        tables, single = read_queries(log_probs, self.spec)
        there = len(self._database)
        found = [self._nearest(table, min(read_count(n), there), there) for table in tables]
        ids, scores = (np.stack([part[place] for part in found]) for place in (0, 1))
        labels = [label for part in found for label in part[2]]
        named: NDArray[Any] | None = None
        if labels and not any(label is None for label in labels):
            named = np.array(labels).reshape(ids.shape)
        if single:
            ids, scores, named = ids[0], scores[0], None if named is None else named[0]
        return Neighbours(ids, scores, named)

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()

    def _nearest(
        self, table: NDArray[np.float32], n: int, there: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], list[Any]]:
        """Ids, similarities and labels of the n best items, of which there are as many."""
        if n == 0:
            return np.empty(0, np.int64), np.empty(0), []
        query, most = sparse_query(table), min(there, self._database.most_found or there)
        asked = min(most, n + _SPARE)
        while True:
            items, products = self._database.nearest(query, asked)
            if len(items.ids) < asked:
                raise DatabaseError(
                    f"expected {asked} items from {self._database.address}; got {len(items.ids)}: "
                    "was the collection changed meanwhile?"
                )
            exact = similarities(table, items.symbols)
            best = np.lexsort((items.ids, -exact))[:n]
            if asked == there or exact[best[-1]] + query.shift > products.min() * (1 + query.error):
                return items.ids[best], exact[best], [items.labels[place] for place in best]
            if asked == most:
                raise DatabaseError(
                    f"too many items score alike for an exact answer: {self._database.address} gives at most {most} "
                    f"items, all as good as the wanted ones; search the index itself"
                )
            asked = min(most, _WIDER * asked)


def _parts(index: CodeIndex, rows: int) -> Iterator[Items]:
    ids, labels = index.ids, index.labels
    for start in range(0, len(ids), rows):
        some = ids[start : start + rows]
        named = [None] * len(some) if labels is None else labels[start : start + rows].tolist()
        yield Items(some, index.reconstruct(some), named)


def _new(items: Items, stored: Items) -> Items:
    """Those of the items that are not among the stored ones, or not the same."""
    place = {item: row for row, item in enumerate(stored.ids.tolist())}
    chosen = []
    for row, item in enumerate(items.ids.tolist()):
        there = place.get(item)
        same = there is not None and stored.labels[there] == items.labels[row]
        if there is None or not same or not np.array_equal(stored.symbols[there], items.symbols[row]):
            chosen.append(row)
    return Items(items.ids[chosen], items.symbols[chosen], [items.labels[row] for row in chosen])
