"""An index for other programs: numpy arrays, a parquet table, or a faiss index."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dimco.atomic import atomic_path
from dimco.codes_table import ID, LABEL, codes_schema, codes_table
from dimco.datasets.files import labels_beside
from dimco.errors import FileError, InputError
from dimco.extras import require
from dimco.npy_rows import npy_rows
from dimco.search.faiss_export import add_symbols, one_hot_pq
from dimco.search.index import CodeIndex

Kind = Literal["npy", "parquet", "faiss"]
_CHUNK_SYMBOLS = 1 << 22


class _Part(NamedTuple):
    """Some items of an index, in the order of their ids."""

    ids: NDArray[np.int64]
    labels: NDArray[Any] | None
    symbols: NDArray[Any]


def export_index(index: CodeIndex, kind: Kind, output: str | Path) -> list[Path]:
    """Write an index in the order of its ids; give the files written.

    Parameters
    ----------
    index : CodeIndex
        At least one item.
    kind : {"npy", "parquet", "faiss"}
        `npy` writes symbols (N, d) as OUT.npy, with OUT.ids.npy and, if there are labels, OUT.labels.npy beside it.
        `parquet` writes the columns id, label if there are any, and code, a list of d symbols. `faiss` writes the
        index of `to_faiss`.
    output : str or Path
    """
    if len(index) == 0:
        raise InputError("expected an index with items to export; it has none")
    path = Path(output)
    if kind == "npy":
        return _write_npy(index, path)
    if kind == "parquet":
        _write_parquet(index, path)
    else:
        _write_faiss(index, path)
    return [path]


def to_faiss(index: CodeIndex) -> Any:
    """A `faiss.IndexPQ` that finds the same neighbours when asked with `faiss_queries(log_probs)`.

    Ids other than 0 to N - 1 are kept by an `IndexIDMap2` around it. faiss adds in float32 and orders equal scores as
    it likes, so items whose scores differ by less than that may change places; it has no labels.
    """
    made = one_hot_pq(index.spec, len(index))
    ids = index.ids
    if np.array_equal(ids, np.arange(len(ids))):
        for part in _parts(index):
            add_symbols(made, part.symbols)
        return made
    mapped = require("faiss").IndexIDMap2(made)
    for part in _parts(index):
        add_symbols(mapped, part.symbols, part.ids)
    mapped.construct_rev_map()
    return mapped


def _write_faiss(index: CodeIndex, path: Path) -> None:
    faiss = require("faiss")
    made = to_faiss(index)
    with atomic_path(path) as temporary:
        try:
            faiss.write_index(made, str(temporary))
        except RuntimeError as error:
            raise FileError(f"cannot write {path}: {' '.join(str(error).split())}") from error


def _write_npy(index: CodeIndex, path: Path) -> list[Path]:
    if path.suffix != ".npy":
        raise InputError(f"expected .npy to write symbols to; got {path.name}")
    ids, labels = index.ids, index.labels
    beside = labels_beside(path)
    if labels is None and beside.exists():
        raise InputError(
            f"expected no {beside} from before, as the index has no labels: remove it, or name another file"
        )
    with npy_rows(path, index.spec.d, str(index.spec.dtype)) as rows:
        for part in _parts(index):
            rows.append(part.symbols)
    arrays = {path.with_suffix(".ids.npy"): ids} | ({} if labels is None else {beside: labels})
    for target, values in arrays.items():
        with atomic_path(target) as temporary, temporary.open("wb") as file:
            np.save(file, values)
    return [path, *arrays]


def _write_parquet(index: CodeIndex, path: Path) -> None:
    arrow, parquet = require("pyarrow"), require("pyarrow.parquet")
    kinds = {ID: arrow.int64()}
    if index.labels is not None:
        kinds[LABEL] = arrow.int64() if index.labels.dtype.kind == "i" else arrow.string()
    schema = codes_schema(index.spec, kinds)
    with atomic_path(path) as temporary, parquet.ParquetWriter(temporary, schema) as writer:
        for part in _parts(index):
            columns = {ID: part.ids} if part.labels is None else {ID: part.ids, LABEL: part.labels}
            writer.write_table(codes_table(schema, columns, part.symbols))


def _parts(index: CodeIndex) -> Iterator[_Part]:
    ids, labels = index.ids, index.labels
    rows = max(1, _CHUNK_SYMBOLS // index.spec.d)
    for start in range(0, len(ids), rows):
        some = slice(start, start + rows)
        yield _Part(ids[some], None if labels is None else labels[some], index.reconstruct(ids[some]))
