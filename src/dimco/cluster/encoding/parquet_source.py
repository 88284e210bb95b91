"""Parquet files as parts: planned from their footers, read as a stream."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dimco.cluster.encoding.columns import Columns, choose_columns
from dimco.cluster.encoding.rows import Rows, Task, batches_a_part
from dimco.errors import DamagedFileError, ForeignFileError, InputError, MissingFileError
from dimco.extras import require
from dimco.inputs import check_finite, check_shape

BATCH = 8_192
_MOST_ITEMS = 1 << 17
_BUFFER = 1 << 20
_FOOTER_LENGTH = 8
_SUFFIX = ".parquet"


@dataclass(frozen=True)
class _File:
    path: Path
    items: int
    first_id: int
    first_part: int
    group_ends: tuple[int, ...]


@dataclass(frozen=True)
class ParquetTask:
    """Parts of one file that lie in the same row groups: [start, start + sizes[0]), and so on."""

    path: Path
    columns: Columns
    kinds: dict[str, Any]
    features: int | None
    first_part: int
    first_id: int
    start: int
    sizes: tuple[int, ...]

    def read(self) -> Iterator[Rows]:
        start = self.start
        with _opened(self.path) as file:
            ends = _group_ends(file.metadata)
            first, last = np.searchsorted(ends, [start, start + sum(self.sizes) - 1], side="right").tolist()
            skipped = start - (ends[first - 1] if first else 0)
            batches = file.iter_batches(BATCH, row_groups=range(first, last + 1), columns=self.columns.names)
            for place, table in enumerate(_cut(_checked(batches, self.path), skipped, self.sizes)):
                kept = self.columns.kept(table, self.first_id + start, self.kinds)
                yield Rows(self.first_part + place, self._matrix(table, start), kept)
                start += table.num_rows

    def _matrix(self, table: Any, start: int) -> Any:
        try:
            x = self.columns.matrix(table)
            check_shape(x, self.features)
            check_finite(x, start)
        except InputError as error:
            raise InputError(f"{self.path}: {error}") from error
        return x


class ParquetSource:
    """The rows of parquet files, one file after another; see `dimco.cluster.encoding.rows.Source`.

    Parameters
    ----------
    data : Path
        A file, or a folder: all .parquet files in it and below it, in the order of their names; names that start with
        a dot or an underscore are passed over.
    features : sequence of str, optional
        Columns of numbers or of lists of numbers; by default all but ids and labels.
    ids, labels : str, optional
        Columns; without ids, items are numbered in their order; labels are found by name, as in `load_data`.
    width : int, optional
        The features that the model takes.
    """

    batch_size = BATCH

    def __init__(
        self,
        data: Path,
        features: Sequence[str] | None = None,
        ids: str | None = None,
        labels: str | None = None,
        width: int | None = None,
    ) -> None:
        paths = parquet_files(data)
        self._width = width
        with _opened(paths[0]) as first:
            schema = first.schema_arrow
            self._columns = choose_columns(schema, paths[0], features, ids, labels)
            self._kinds = self._columns.kinds(schema)
            self._part_items = self._items_a_part(first, paths[0])
        self._files: list[_File] = []
        self.items, self.sizes, inputs = 0, list[int](), []
        for path in paths:
            metadata, footer = _metadata(path, self._columns, schema)
            items = metadata.num_rows
            self._files.append(_File(path.absolute(), items, self.items, len(self.sizes), _group_ends(metadata)))
            self.items += items
            self.sizes += [min(self._part_items, items - start) for start in range(0, items, self._part_items)]
            name = path.name if path == data else str(path.relative_to(data))
            inputs.append({"name": name, "items": items, "changed": path.stat().st_mtime_ns, "footer": footer})
        if self.items == 0:
            raise InputError(f"expected rows in {data}; it holds none")
        self.record = {
            "kind": "parquet",
            "features": list(self._columns.features),
            "ids": self._columns.ids,
            "labels": self._columns.labels,
            "part_items": self._part_items,
            "files": inputs,
        }

    def tasks(self, finished: set[int]) -> list[Task]:
        return [task for file in self._files for task in self._of_file(file, finished)]

    def _items_a_part(self, file: Any, path: Path) -> int:
        """From the first row, whose width is checked as well."""
        rows = next(file.iter_batches(1, columns=self._columns.names), None)
        if rows is None or rows.num_rows == 0:
            raise InputError(f"expected rows in {path}; it holds none")
        x = self._columns.matrix(require("pyarrow").Table.from_batches([rows]))
        check_shape(x, self._width)
        return batches_a_part(BATCH, x.nbytes, _MOST_ITEMS)

    def _of_file(self, file: _File, finished: set[int]) -> Iterator[Task]:
        """Unfinished parts that begin in the same row group go together: it is read once."""
        together: list[int] = []
        for start in range(0, file.items, self._part_items):
            part = file.first_part + start // self._part_items
            if together and (part in finished or self._group(file, start) != self._group(file, together[0])):
                yield self._task(file, together)
                together = []
            if part not in finished:
                together.append(start)
        if together:
            yield self._task(file, together)

    def _task(self, file: _File, starts: list[int]) -> ParquetTask:
        sizes = tuple(min(self._part_items, file.items - start) for start in starts)
        first_part = file.first_part + starts[0] // self._part_items
        return ParquetTask(
            file.path, self._columns, self._kinds, self._width, first_part, file.first_id, starts[0], sizes
        )

    @staticmethod
    def _group(file: _File, row: int) -> int:
        return int(np.searchsorted(file.group_ends, row, side="right"))


def parquet_files(data: Path) -> list[Path]:
    """A parquet file, or those of a folder in the order of their names; none where a folder holds none."""
    if not data.exists():
        raise MissingFileError(f"no such file or folder: {data}")
    if not data.is_dir():
        if data.suffix.lower() != _SUFFIX:
            raise ForeignFileError(f"expected a .parquet file, or a folder; got {data.name}")
        return [data]
    found = (path for path in data.rglob("*") if path.suffix.lower() == _SUFFIX and path.is_file())
    return sorted(path for path in found if not any(p.startswith((".", "_")) for p in path.relative_to(data).parts))


def _metadata(path: Path, columns: Columns, schema: Any) -> tuple[Any, str]:
    """The footer of a file that has the columns of the first one, and its checksum."""
    with _opened(path) as file:
        for name in columns.names:
            kind = file.schema_arrow.field(name).type if name in file.schema_arrow.names else "no such column"
            if kind != schema.field(name).type:
                raise InputError(
                    f"expected {schema.field(name).type} in column {name!r} of {path}, as in the first file; got {kind}"
                )
        metadata = file.metadata
    with path.open("rb") as raw:
        raw.seek(-(metadata.serialized_size + _FOOTER_LENGTH), 2)
        return metadata, f"{zlib.crc32(raw.read()):08x}"


def _group_ends(metadata: Any) -> tuple[int, ...]:
    rows = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
    return tuple(np.cumsum(rows, dtype=np.int64).tolist())


def _opened(path: Path) -> Any:
    arrow, parquet = require("pyarrow"), require("pyarrow.parquet")
    try:
        return parquet.ParquetFile(path, buffer_size=_BUFFER)
    except FileNotFoundError as error:
        raise MissingFileError(f"no such file: {path}") from error
    except (arrow.ArrowException, OSError, ValueError) as error:
        raise DamagedFileError(f"{path} cannot be read as parquet: {str(error).splitlines()[0]}") from error


def _checked(batches: Iterable[Any], path: Path) -> Iterator[Any]:
    arrow = require("pyarrow")
    try:
        yield from batches
    except (arrow.ArrowException, OSError, ValueError) as error:
        raise DamagedFileError(f"{path} cannot be read as parquet: {str(error).splitlines()[0]}") from error


def _cut(batches: Iterator[Any], skipped: int, sizes: Sequence[int]) -> Iterator[Any]:
    """Tables of these sizes, one after the other, after so many rows that are passed over."""
    arrow = require("pyarrow")
    held: list[Any] = []
    have = 0
    for size in sizes:
        while have < size:
            batch = next(batches)
            passed = min(skipped, batch.num_rows)
            skipped -= passed
            held.append(batch.slice(passed))
            have += batch.num_rows - passed
        table = arrow.Table.from_batches(held)
        yield table.slice(0, size)
        held, have = table.slice(size).to_batches(), have - size
