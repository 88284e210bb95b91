"""A .npy file written row by row, for arrays that do not fit in memory."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import DTypeLike, NDArray

from dimco.atomic import atomic_path
from dimco.errors import InputError


class RowWriter:
    """Appends rows to an open .npy file.

    Rows are written and not mapped: a full disk is then an error and never a crash, and how many rows will come
    need not be known. numpy leaves room in the header for the number of rows, which is put there at the end.
    """

    def __init__(self, file: BinaryIO, width: int | tuple[int, ...], dtype: DTypeLike) -> None:
        self._file, self._dtype = file, np.dtype(dtype)
        self._shape = (width,) if isinstance(width, int) else width
        self.rows = 0
        self.write_header()

    def append(self, rows: NDArray[Any]) -> None:
        """Write rows of shape (n, *width), rounded to the file's type."""
        if rows.shape[1:] != self._shape:
            raise InputError(f"expected rows of shape (n, {', '.join(map(str, self._shape))}); got {rows.shape}")
        self._file.write(np.ascontiguousarray(rows, self._dtype).data)
        self.rows += len(rows)

    def write_header(self) -> None:
        """State the number of rows written so far at the start of the file."""
        self._file.seek(0)
        header = {"descr": self._dtype.str, "fortran_order": False, "shape": (self.rows, *self._shape)}
        np.lib.format.write_array_header_1_0(self._file, header)


@contextlib.contextmanager
def npy_rows(path: str | Path, width: int | tuple[int, ...], dtype: DTypeLike) -> Iterator[RowWriter]:
    """A writer for the .npy file at `path`, which is there, whole, once the block is left without error.

    A row is of `width` numbers, or of that shape.
    """
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        writer = RowWriter(file, width, dtype)
        yield writer
        writer.write_header()
