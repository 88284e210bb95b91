"""Tables of docs/databases.md, from results/databases.json."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dimco.reports.tables import markdown_table

Results = Mapping[str, Any]


def databases_view(results: Results) -> str:
    """Every engine beside the index: speed, exactness, size."""
    records = [{**row, "exact": f"{100 * row['exact']:g} %"} for row in results["rows"]]
    for record in records:
        record["ms_per_query"] = _milliseconds(record["ms_per_query"])
    return markdown_table(records, results["columns"], {"bytes_per_item": ",.0f"})


def limits_view(results: Results) -> str:
    """Codes of more and more dimensions, and the milliseconds of a query where an engine takes them."""
    engines = list(dict.fromkeys(row["engine"] for row in results["limits"]))
    records: dict[str, dict[str, Any]] = {}
    for row in results["limits"]:
        record = records.setdefault(row["code"], {"code": row["code"], "dimensions": row["dimensions"]})
        record[row["engine"]] = f"{_milliseconds(row['ms_per_query'])} ms" if row["taken"] else "refused"
    columns = {"code": "code", "dimensions": "k * d"} | {engine: engine for engine in engines}
    return markdown_table(list(records.values()), columns)


def _milliseconds(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
