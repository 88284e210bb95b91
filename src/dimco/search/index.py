"""CodeIndex: codes with ids and labels, searched exactly, in memory or where a file is mapped."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dimco.codes import Codes
from dimco.errors import InputError
from dimco.search.items import MAX_ID, read_codes, read_ids
from dimco.search.labels import LabelKind, Labels, read_labels
from dimco.search.layout import Layout
from dimco.search.neighbours import Neighbours, neighbours_of, one_neighbours
from dimco.search.queries import read_count, read_queries
from dimco.search.segment import Segment, new_segment
from dimco.search.snapshot import Snapshot
from dimco.search.where import Where
from dimco.spec import CodeSpec

if TYPE_CHECKING:
    import torch

    from dimco.search.device import DeviceIndex
    from dimco.search.index_file.home import Home


class CodeIndex:
    """Codes with ids, and labels if wanted, searched exactly by sum_i log p_i[c_i] (eq. 8).

    Parameters
    ----------
    spec : CodeSpec
        The shape of the codes.

    Attributes
    ----------
    spec : CodeSpec
    ids : ndarray of int64, shape (len(index),)
        The ids of all items, increasing.
    labels : ndarray of shape (len(index),), or None
        The labels of all items, in the order of `ids`; None if they have none.
    label_kind : "int", "str" or None
    commit : str, or None
        The name of what its file held when it was opened or last saved: files of one commit hold the same.
    nbytes : int
        Bytes the items take, in memory or mapped, with those removed but not yet compacted away.

    Notes
    -----
    Any number of threads may search while others add and remove: a search sees the index as it was at one moment,
    before or after each change. Changes wait for each other.

    References
    ----------
    Lee, Kim, Park, Choi: Discrete Infomax Codes for Supervised Representation Learning, equation 8.

    Examples
    --------
    >>> from dimco import CodeIndex, CodeSpec
    >>> index = CodeIndex(CodeSpec(k=2, d=3))
    >>> index.add([[0, 0, 0], [0, 1, 1], [1, 1, 1]], labels=["a", "b", "b"])
    array([0, 1, 2])
    >>> found = index.search([[-0.1, -2.0], [-1.0, -0.5], [-2.0, -0.1]], n=2)
    >>> found.ids, found.labels
    (array([1, 2]), array(['b', 'b'], dtype='<U1'))
    >>> index.remove([1])
    >>> len(index), index.reconstruct(2)
    (2, array([1, 1, 1], dtype=uint8))
    """

    def __init__(self, spec: CodeSpec) -> None:
        self._snapshot = Snapshot(Layout(spec))
        self._writing = threading.Lock()
        self._home: Home | None = None

    @classmethod
    def open(cls, path: str | Path) -> CodeIndex:
        """The index in a file, memory mapped: opening takes milliseconds whatever its size.

        What is then added or removed is in memory until `save`.
        """
        from dimco.search.index_file.reader import open_index

        snapshot, home = open_index(path)
        index = cls(snapshot.layout.spec)
        index._snapshot, index._home = snapshot, home
        return index

    @classmethod
    def check(cls, path: str | Path) -> None:
        """Read all of a file and raise `DamagedFileError`, naming what is damaged, unless it is whole."""
        from dimco.search.index_file.check import check

        check(path)

    def save(self, path: str | Path) -> None:
        """Write the index to a file, atomically: whatever interrupts it, the old or the new index is there.

        Saved to the file it was opened from or last saved to, only what is new is written, after what is there;
        after `compact` the file is written anew. Another path, and whatever is there, is written as a whole. Searches
        go on meanwhile; changes wait.

        Raises
        ------
        FileError
            The disk is full, or the file cannot be written, is being written by another, or was changed since this
            index was opened or saved. The old file is then as it was.
        """
        from dimco.search.index_file.save import save_index

        with self._writing:
            self._snapshot, self._home = save_index(path, self._snapshot, self._home)

    def add(
        self, codes: Codes | ArrayLike, ids: ArrayLike | None = None, labels: ArrayLike | None = None
    ) -> NDArray[np.int64]:
        """Add items.

        Parameters
        ----------
        codes : Codes or array-like of shape (N, d)
        ids : array-like of int, shape (N,), optional
            Ids no item has, from 0 to 2**63 - 2; consecutive ones after the largest ever used by default.
        labels : array-like of int or of str, shape (N,), optional
            For all items of an index or for none, and of one type.

        Returns
        -------
        ndarray of int64, shape (N,)
            The ids of the items.
        """
        rows = read_codes(codes, self.spec)
        given = None if ids is None else _one_each(read_ids(ids), len(rows))
        with self._writing:
            snapshot = self._snapshot
            if given is None:
                if len(rows) > MAX_ID - snapshot.next_id + 1:
                    raise InputError(f"expected ids: none are left after the largest used, {snapshot.next_id - 1}")
                given = np.arange(snapshot.next_id, snapshot.next_id + len(rows))
            else:
                snapshot.refuse_known(given)
            self._snapshot = _with_items(snapshot, rows, given, labels)
        return given

    def remove(self, ids: ArrayLike) -> None:
        """Remove the items with these ids; their space is given back by `compact`."""
        wanted = read_ids(ids)
        with self._writing:
            self._snapshot.refuse_unknown(wanted)
            self._snapshot = self._snapshot.without(wanted)

    def update(self, ids: ArrayLike, codes: Codes | ArrayLike, labels: ArrayLike | None = None) -> None:
        """Give the items with these ids other codes, and other labels too if any are passed."""
        rows = read_codes(codes, self.spec)
        wanted = _one_each(read_ids(ids), len(rows))
        with self._writing:
            snapshot = self._snapshot
            snapshot.refuse_unknown(wanted)
            kept = snapshot.labels_of(wanted) if labels is None else labels
            left = snapshot.without(wanted)
            self._snapshot = _with_items(left, rows, wanted, kept)

    def merge(self, other: CodeIndex) -> None:
        """Add all items of another index of the same spec, with their ids, which must be new, and labels."""
        if other.spec != self.spec:
            raise InputError(f"expected an index of {self.spec}; got one of {other.spec}")
        theirs = other._snapshot
        with self._writing:
            merged = self._snapshot
            merged.refuse_known(theirs.live_ids()[0])
            for segment in theirs.segments:
                merged = merged.with_segment(_relabelled(segment, theirs, merged), theirs.label_kind)
            self._snapshot = replace(merged, next_id=max(merged.next_id, theirs.next_id))

    def compact(self) -> None:
        """Give back the space of items removed; the next `save` writes the whole file anew."""
        from dimco.search.compaction import compacted

        with self._writing:
            self._snapshot = compacted(self._snapshot)
            self._home = None if self._home is None else replace(self._home, rewrite=True)

    def search(
        self,
        log_probs: Any,
        n: int = 10,
        where: Where | None = None,
        *,
        kernel: str | None = None,
        threads: int | None = None,
    ) -> Neighbours:
        """The n best items of each query: ids, scores and labels.

        Parameters
        ----------
        log_probs : array or Tensor of shape (d, k), or (Q, d, k) for many queries
            log p of each symbol at each position, as `CodeModel.log_probs` gives; finite or -infinity. They are
            used as float32.
        n : int
        where : Where, optional
            Which items may be returned; all by default.
        kernel : str, optional
            One of `dimco.search.kernels.available_kernels()`; the fastest by default. All give the same answer.
        threads : int, optional
            All cores the process may use by default, fewer where there is little to do.

        Returns
        -------
        Neighbours
            Highest score first, equal scores by the smaller id; fewer than n where there are fewer items.
        """
        snapshot = self._snapshot
        plain = type(log_probs) is np.ndarray and type(n) is int and n > 0
        if plain and where is None and kernel is None and (threads is None or threads > 0):
            quick = snapshot.quick
            found = None if quick is None else quick.search(log_probs, n)
            if found is not None:
                return one_neighbours(snapshot, found, log_probs.ndim)
        return self._search(snapshot, log_probs, n, where, kernel, threads)

    def _search(
        self, snapshot: Snapshot, log_probs: Any, n: int, where: Where | None, kernel: str | None, threads: int | None
    ) -> Neighbours:
        from dimco.search.kernels import scan

        tables, single = read_queries(log_probs, self.spec)
        count = read_count(n)
        segments = snapshot.scan
        if where is not None:
            kept = zip(segments, where.keeps(snapshot), strict=True)
            segments = tuple(replace(segment, keep=keep) for segment, keep in kept)
        ids, scores = scan(snapshot.layout, segments, tables, count, kernel=kernel, threads=threads)
        return neighbours_of(snapshot, ids, scores, single)

    def on(self, device: str | torch.device) -> DeviceIndex:
        """A copy of the index as it is now on a device such as "cuda", with the same `search`."""
        from dimco.search.device import DeviceIndex

        return DeviceIndex(self._snapshot, device)

    def reconstruct(self, ids: int | ArrayLike) -> NDArray[np.unsignedinteger]:
        """The symbols, of shape (d,), of the item with an id; of shape (N, d) for a list of ids."""
        wanted, snapshot = read_ids(ids), self._snapshot
        snapshot.refuse_unknown(wanted)
        symbols = np.empty((len(wanted), self.spec.d), dtype=self.spec.dtype)
        for _, segment, which, rows in snapshot.located(wanted):
            symbols[which] = segment.symbols_at(rows)
        return symbols[0] if np.ndim(ids) == 0 else symbols

    @property
    def spec(self) -> CodeSpec:
        """The shape of the codes."""
        return self._snapshot.layout.spec

    @property
    def ids(self) -> NDArray[np.int64]:
        """The ids of all items, increasing."""
        return self._snapshot.live_ids()[0]

    @property
    def labels(self) -> Labels | None:
        """The labels of all items, in the order of `ids`; None if they have none."""
        snapshot = self._snapshot
        return snapshot.labels_of(snapshot.live_ids()[0])

    @property
    def label_kind(self) -> LabelKind | None:
        """The type of the labels, "int" or "str"; None if items have none."""
        return self._snapshot.label_kind

    @property
    def commit(self) -> str | None:
        """The name of what its file held when it was opened or last saved; None without a file."""
        return None if self._home is None else self._home.commit

    @property
    def nbytes(self) -> int:
        """Bytes the items take, in memory or mapped, with those removed but not yet compacted away."""
        return sum(segment.nbytes for segment in self._snapshot.segments)

    def __len__(self) -> int:
        return self._snapshot.live

    def __repr__(self) -> str:
        return f"CodeIndex({len(self)} items of {self.spec}, {self.nbytes} bytes)"


def _one_each(ids: NDArray[np.int64], items: int) -> NDArray[np.int64]:
    if len(ids) != items:
        raise InputError(f"expected {items} ids, one an item; got {len(ids)}")
    return ids


def _with_items(
    snapshot: Snapshot, codes: Codes | NDArray[Any], ids: NDArray[np.int64], labels: ArrayLike | None
) -> Snapshot:
    """A snapshot with new items, whose labels must be as those of the items there are."""
    kind: LabelKind | None = None
    stored: Labels | None = None
    if labels is not None:
        kind, stored = read_labels(labels)
        if stored.shape != (len(codes),):
            raise InputError(f"expected {len(codes)} labels, one an item; got shape {stored.shape}")
    if len(codes) == 0:
        return snapshot
    _refuse_other_labels(snapshot, kind)
    if kind == "str" and stored is not None:
        stored = snapshot.names.added(stored)
    return snapshot.with_segment(new_segment(snapshot.layout, codes, ids, stored), kind)


def _refuse_other_labels(snapshot: Snapshot, kind: LabelKind | None) -> None:
    if snapshot.segments and kind != snapshot.label_kind:
        expected = "no labels" if snapshot.label_kind is None else f"labels of type {snapshot.label_kind}"
        got = "none" if kind is None else f"type {kind}"
        raise InputError(f"expected {expected}, as the items in the index have; got {got}")


def _relabelled(segment: Segment, theirs: Snapshot, ours: Snapshot) -> Segment:
    """A segment of another index with its labels as this index holds them."""
    _refuse_other_labels(ours, theirs.label_kind)
    if theirs.label_kind != "str" or segment.labels is None:
        return segment
    segment.refuse_altered()
    return replace(segment, labels=ours.names.added(theirs.names.decoded(segment.labels)), stored={})
