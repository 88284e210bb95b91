"""Which columns of a parquet table are what, and their values: features, ids and labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dimco.codes_table import ID, LABEL
from dimco.datasets.files import LABEL_COLUMNS, column_labels
from dimco.errors import InputError
from dimco.extras import require


@dataclass(frozen=True)
class Columns:
    """The columns of a table by what they are for.

    Attributes
    ----------
    features : tuple of str
        Numbers or lists of numbers, side by side in this order.
    ids, labels : str or None
    """

    features: tuple[str, ...]
    ids: str | None
    labels: str | None

    @property
    def names(self) -> list[str]:
        """All that are read."""
        return [*self.features, *(name for name in (self.ids, self.labels) if name is not None)]

    def kinds(self, schema: Any) -> dict[str, Any]:
        """The types of what is kept beside the codes: integers stay integers, all else is text."""
        arrow = require("pyarrow")
        kinds = {ID: arrow.int64() if self.ids is None else _id_kind(schema, self.ids)}
        if self.labels is not None:
            label = schema.field(self.labels).type
            whole = arrow.types.is_integer(label) or arrow.types.is_boolean(label)
            kinds[LABEL] = arrow.int64() if whole else arrow.string()
        return kinds

    def matrix(self, table: Any) -> NDArray[Any]:
        """The features of a table, (N, width)."""
        return np.concatenate([_numbers(table.column(name), name) for name in self.features], axis=1)

    def kept(self, table: Any, first_id: int, kinds: dict[str, Any]) -> Any:
        """Ids and labels of a table; without a column of ids they count on from the first."""
        arrow = require("pyarrow")
        if self.ids is None:
            ids = arrow.array(np.arange(first_id, first_id + table.num_rows))
        else:
            ids = table.column(self.ids)
            _refuse_nulls(ids, self.ids)
            ids = ids.cast(kinds[ID])
        columns = {ID: ids}
        if self.labels is not None:
            values = column_labels(table.column(self.labels).to_pandas(), self.labels)
            columns[LABEL] = arrow.array(values).cast(kinds[LABEL])
        return arrow.table(columns)


def choose_columns(
    schema: Any, source: Any, features: Sequence[str] | None, ids: str | None, labels: str | None
) -> Columns:
    """The columns named; by default labels are found by name, and all others are features, but for pandas' index."""
    for name in [*(features or ()), *(name for name in (ids, labels) if name is not None)]:
        if name not in schema.names:
            raise InputError(f"expected a column {name!r} in {source}; it has {', '.join(schema.names[:8])}")
    if labels is None:
        labels = next((name for name in LABEL_COLUMNS if name in schema.names and name not in (features or ())), None)
    others = {ids, labels, *_pandas_index(schema)}
    wanted = tuple(features or (name for name in schema.names if name not in others))
    if not wanted:
        raise InputError(f"expected at least one column of features in {source}; got none")
    for name in wanted:
        kind = schema.field(name).type
        if not _holds_numbers(kind):
            raise InputError(
                f"expected numbers, or lists of them, in column {name!r} of {source}; got {kind}: name the features "
                "with --features"
            )
    if ids is not None:
        _id_kind(schema, ids)
    return Columns(wanted, ids, labels)


def _holds_numbers(kind: Any) -> bool:
    types = require("pyarrow").types
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        kind = kind.value_type
    return bool(types.is_integer(kind) or types.is_floating(kind))


def _pandas_index(schema: Any) -> list[str]:
    kept = (schema.pandas_metadata or {}).get("index_columns", [])
    return [name for name in kept if isinstance(name, str)]


def _id_kind(schema: Any, name: str) -> Any:
    arrow = require("pyarrow")
    kind = schema.field(name).type
    if arrow.types.is_integer(kind):
        return arrow.int64()
    if arrow.types.is_string(kind) or arrow.types.is_large_string(kind):
        return arrow.string()
    raise InputError(f"expected ids as integers or text in column {name!r}; got {kind}")


def _numbers(column: Any, name: str) -> NDArray[Any]:
    arrow, compute = require("pyarrow"), require("pyarrow.compute")
    _refuse_nulls(column, name)
    column = column.combine_chunks()
    if not arrow.types.is_nested(column.type):
        return np.asarray(column.to_numpy(zero_copy_only=False))[:, None]
    widths = compute.unique(compute.list_value_length(column)).to_pylist()
    if len(widths) != 1:
        raise InputError(f"expected lists of one length in column {name!r}; got lengths {sorted(widths)[:4]}")
    values = column.flatten()
    _refuse_nulls(values, name)
    return np.asarray(values.to_numpy(zero_copy_only=False)).reshape(-1, widths[0])


def _refuse_nulls(column: Any, name: str) -> None:
    if column.null_count:
        raise InputError(f"expected a value in every row of column {name!r}; {column.null_count} are missing")
