"""Single queries of few items: each is one call of the native library, with as little around it as can be."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dimco.search.kernels import check_segments, native
from dimco.search.layout import Layout
from dimco.search.scan import ScanSegment

_ROOM = 64
_OUT_OF_MEMORY = -1

# Of our own: the types of pythonapi's are for everyone in the process.
_struct_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


class _Place(ctypes.Structure):
    _fields_ = (
        ("kernel", ctypes.c_int),
        ("k", ctypes.c_int),
        ("d", ctypes.c_int),
        ("segments", ctypes.c_void_p),
        ("segment_count", ctypes.c_int64),
    )


# Where the library writes ids and scores, and the addresses of both; for one search at a time.
_Room = tuple[NDArray[np.int64], NDArray[np.float64], int, int]


class QuickSearch:
    """Segments described once, for tables that are numpy's own and hold what they should.

    Any number of threads may search at once.

    Parameters
    ----------
    kernel : str
        A native one.
    layout : Layout
    segments : sequence of ScanSegment
        Of sizes that were checked.

    Attributes
    ----------
    usable : bool
        Whether the kernel has a way of its own for so few items of such codes.
    """

    def __init__(self, kernel: str, layout: Layout, segments: Sequence[ScanSegment]) -> None:
        loaded = native.library()
        assert loaded is not None
        self._search = loaded.dimco_search_table
        self._rows = sum(segment.rows for segment in segments)
        self._described = native.Described(segments)
        spec = layout.spec
        self._place = _Place(native.KERNELS[kernel], spec.k, spec.d, self._described.address, len(self._described))
        self._address = ctypes.addressof(self._place)
        self.usable = self._rows > 0 and loaded.dimco_place_usable(self._address) == 1
        self._rooms: list[_Room] = []

    def search(self, table: NDArray[Any], n: int) -> tuple[NDArray[np.int64], NDArray[np.float64]] | None:
        """Ids and scores, flat, of the n best for a table of shape (d, k) or (1, d, k).

        None for a table that is to be read, or refused, in the general way.
        """
        described = table.__array_struct__
        n = min(n, self._rows)
        try:
            room = self._rooms.pop() if n <= _ROOM else _room(n)
        except IndexError:
            room = _room(_ROOM)
        ids, scores, to_ids, to_scores = room
        found = self._search(self._address, _struct_of(described, None), n, to_ids, to_scores)
        if found < 0:
            if found == _OUT_OF_MEMORY:
                raise MemoryError("not enough memory for a search")
            return None
        answer = ids[:found].copy(), scores[:found].copy()
        if n <= _ROOM:
            self._rooms.append(room)
        return answer


def quick_search(layout: Layout, segments: Sequence[ScanSegment]) -> QuickSearch | None:
    """A quick search with the best kernel, where there is one for these segments."""
    kernels = native.usable_kernels()
    if not kernels or sum(segment.rows for segment in segments) * layout.spec.d > native.SMALL_SEARCH:
        return None
    check_segments(layout, segments)
    search = QuickSearch(kernels[0], layout, segments)
    return search if search.usable else None


def _room(n: int) -> _Room:
    ids, scores = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.float64)
    return ids, scores, ids.ctypes.data, scores.ctypes.data
