"""Markdown tables from flat records."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any

from dimco.errors import InputError

Record = Mapping[str, Any]


def markdown_table(
    rows: Sequence[Record], columns: Sequence[str] | Mapping[str, str], formats: Mapping[str, str] | None = None
) -> str:
    """A table whose source lines up as well; columns of numbers are right-aligned.

    Parameters
    ----------
    rows : sequence of records
        A field that is missing, None or NaN leaves its cell empty.
    columns : sequence of str, or mapping of str to str
        The fields to show, in order; a mapping gives their headings.
    formats : mapping of str to str, optional
        Format of a field's numbers, such as ".1f"; otherwise "," for integers and ".2f" for other numbers.

    Examples
    --------
    >>> print(markdown_table([{"method": "pq", "top1": 87.5}, {"method": "sq"}], ["method", "top1"]))
    | method |  top1 |
    | ------ | ----: |
    | pq     | 87.50 |
    | sq     |       |
    """
    headings = dict(columns) if isinstance(columns, Mapping) else {name: name for name in columns}
    if not headings:
        raise InputError("expected at least one column; got none")
    rendered = [
        _column(_escape(heading), [row.get(name) for row in rows], (formats or {}).get(name))
        for name, heading in headings.items()
    ]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in zip(*rendered, strict=True))


def pivot(rows: Iterable[Record], index: Sequence[str], column: str, value: str = "value") -> list[dict[str, Any]]:
    """One record for each combination of the `index` fields, with a field for each value of `column`.

    Examples
    --------
    >>> pivot([{"bits": 4, "m": "pq", "value": 1}, {"bits": 4, "m": "sq", "value": 2}], ["bits"], "m")
    [{'bits': 4, 'pq': 1, 'sq': 2}]
    """
    merged: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in rows:
        key = tuple(row.get(name) for name in index)
        merged.setdefault(key, dict(zip(index, key, strict=True)))[str(row[column])] = row[value]
    return list(merged.values())


def _column(heading: str, values: Sequence[Any], form: str | None) -> list[str]:
    """The cells of a column, rule included, all of one width."""
    present = [value for value in values if not _missing(value)]
    numeric = bool(present) and all(_is_number(value) for value in present)
    cells = [_cell(value, form) for value in values]
    width = max(3, len(heading), *map(len, cells)) if cells else max(3, len(heading))
    rule = "-" * (width - 1) + ":" if numeric else "-" * width
    padded = [text.rjust(width) if numeric else text.ljust(width) for text in (heading, *cells)]
    return [padded[0], rule, *padded[1:]]


def _cell(value: Any, form: str | None) -> str:
    if _missing(value):
        return ""
    if _is_number(value):
        return format(value, form or ("," if isinstance(value, Integral) else ".2f"))
    return _escape(str(value))


def _missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _escape(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
