"""Tables of docs/databases.md, from results/databases.json."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dimco.reports.tables import markdown_table

Results = Mapping[str, Any]


def databases_view(results: Results) -> str:
    """Every engine beside the index: speed, exactness, size."""
    records = [{**row, "exact": f"{100 * row['exact']:g} %"} for row in results["rows"]]
    formats = {"ms_per_query": ",.3g", "bytes_per_item": ",.0f"}
    for record in records:
        large = record["ms_per_query"] >= 100
        record["ms_per_query"] = f"{record['ms_per_query']:,.0f}" if large else f"{record['ms_per_query']:.3g}"
    return markdown_table(records, results["columns"], formats)


def limits_view(results: Results) -> str:
    """Codes of more and more dimensions, and the milliseconds of a query where an engine takes them."""
    engines = list(dict.fromkeys(row["engine"] for row in results["limits"]))
    records: dict[str, dict[str, Any]] = {}
    for row in results["limits"]:
        record = records.setdefault(row["code"], {"code": row["code"], "dimensions": row["dimensions"]})
        record[row["engine"]] = f"{row['ms_per_query']:.3g} ms" if row["taken"] else "refused"
    columns = {"code": "code", "dimensions": "k * d"} | {engine: engine for engine in engines}
    return markdown_table(list(records.values()), columns)
