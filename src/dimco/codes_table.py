"""Codes as a parquet table: a column of ids, labels if there are any, and a list of d symbols an item."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dimco.errors import ForeignFileError
from dimco.extras import require
from dimco.spec import CodeSpec

ID, LABEL, CODE = "id", "label", "code"
_ABOUT = re.compile(r"codes of (\d+x\d+)")


def codes_schema(spec: CodeSpec, columns: Mapping[str, Any]) -> Any:
    """The schema of a table with these columns, of types of pyarrow's, and the code after them."""
    arrow = require("pyarrow")
    code = arrow.list_(arrow.from_numpy_dtype(spec.dtype), spec.d)
    return arrow.schema({**columns, CODE: code}, metadata={"dimco": f"codes of {spec}"})


def codes_table(schema: Any, columns: Mapping[str, Any], symbols: NDArray[Any]) -> Any:
    """Items as a table of a schema made by `codes_schema`."""
    arrow = require("pyarrow")
    code = arrow.FixedSizeListArray.from_arrays(np.ascontiguousarray(symbols).reshape(-1), symbols.shape[1])
    return arrow.table({**columns, CODE: code}, schema=schema)


def table_spec(schema: Any, source: Any) -> CodeSpec:
    """The shape of the codes of a table that dimco wrote; `ForeignFileError` for any other."""
    about = (schema.metadata or {}).get(b"dimco", b"").decode(errors="replace")
    found = _ABOUT.fullmatch(about)
    if found is None or CODE not in schema.names or ID not in schema.names:
        raise ForeignFileError(f"expected codes in parquet, as dimco writes them; {source} is another table")
    return CodeSpec.parse(found[1])


def table_symbols(table: Any, spec: CodeSpec) -> NDArray[Any]:
    """The symbols of a table, (N, d)."""
    column = table.column(CODE).combine_chunks()
    return np.asarray(column.flatten().to_numpy(zero_copy_only=False)).reshape(-1, spec.d)
