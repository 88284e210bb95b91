"""Tables of docs/scale.md, from the results of the scale experiment."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from dimco.reports.tables import markdown_table

Results = Mapping[str, Any]
Row = Mapping[str, Any]

_TINY = 1e-5
_UNITS = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"))
_SCALES = ((1e9, "billion"), (1e6, "million"))


def measured_view(results: Results) -> str:
    """What one machine does."""
    records = [
        {
            "code": f"{row['k']}x{row['d']}",
            "codes": f"{row['items']:,}",
            "size": size_name(row["bytes"]),
            "threads": row["threads"],
            "queries": "one" if row["queries"] == 1 else f"{row['queries']} at once",
            "ms": 1e3 * row["seconds"],
            "median": 1e3 * row["median_seconds"],
            "rate": row["bytes"] / row["seconds"] / 1e9,
        }
        for row in results["measured"]["scans"]
    ]
    columns = {
        "code": "code",
        "codes": "codes",
        "size": "size",
        "threads": "threads",
        "queries": "queries",
        "ms": "ms a query, fastest",
        "median": "median",
        "rate": "GB/s a query, fastest",
    }
    table = markdown_table(records, columns, {"ms": ".1f", "median": ".1f", "rate": ".1f"})
    return (
        f"{table}\n\nReading a file that is not in memory: {results['measured']['file_bytes_a_second'] / 1e9:.2f} GB/s."
    )


def paper_view(results: Results) -> str:
    """Bytes, machines and the time of one scan: arithmetic on what was measured."""
    rows = [row for row in results["rows"] if row["replicas"] == 1]
    records = [
        {
            "collection": collection_name(row),
            "bytes": size_name(row["bytes"]),
            "cut": _CUTS[row["cut"]],
            "machines": row["shards"],
            "shard": size_name(row["bytes"] / row["shards"]),
            "scan": seconds_name(row["scan_seconds"]),
            "work": seconds_name(row["shards"] * row["scan_seconds"]),
            "shared": seconds_name(row["bytes"] * _seconds_a_byte_at_once(results, row)),
            "away": seconds_name(row["away_seconds"]),
            "recall": "1 (exact)",
        }
        for row in rows
    ]
    columns = {
        "collection": "collection",
        "bytes": "codes",
        "cut": "cut by",
        "machines": "machines",
        "shard": "a machine",
        "scan": "one scan",
        "work": "machine time a query",
        "shared": "64 at once",
        "away": "back after a failure in",
        "recall": "recall",
    }
    return markdown_table(records, columns)


def simulated_view(results: Results) -> str:
    """Latencies and refusals of every simulation."""
    records = [
        {
            "collection": collection_name(row),
            "cut": _CUTS[row["cut"]],
            "way": way_name(row),
            "machines": row["machines"],
            "rate": f"{row['queries_per_second']:.2g}",
            **{name: seconds_name(row[name]) for name in ("p50", "p99", "p99.9")},
            "refused": share_name(row["refused"]),
            "counted": share_name(row["refused_simulated"]),
        }
        for row in results["rows"]
    ]
    columns = {
        "collection": "collection",
        "cut": "cut by",
        "way": "copies",
        "machines": "machines",
        "rate": "queries a second",
        "p50": "p50",
        "p99": "p99",
        "p99.9": "p99.9",
        "refused": "refused",
        "counted": "refused in the simulation",
    }
    return markdown_table(records, columns)


def collection_name(row: Row) -> str:
    """1 billion of 16x16."""
    for scale, name in _SCALES:
        if row["items"] >= scale:
            return f"{row['items'] / scale:g} {name} of {row['k']}x{row['d']}"
    return f"{row['items']:,} of {row['k']}x{row['d']}"


def way_name(row: Row) -> str:
    """How many machines hold a shard, and how they are asked."""
    return f"{row['replicas']}" + (", hedged" if row["hedged"] else "")


def _seconds_a_byte_at_once(results: Results, row: Row) -> float:
    """Of a query among several asked at once, on the number of threads that is faster."""
    scans = [scan for scan in results["measured"]["scans"] if (scan["k"], scan["d"]) == (row["k"], row["d"])]
    return min(float(scan["seconds"] / scan["bytes"]) for scan in scans if scan["queries"] > 1)


def size_name(size: float) -> str:
    """Bytes for people."""
    for unit, name in _UNITS:
        if size >= unit:
            return f"{size / unit:.3g} {name}"
    return f"{size:.0f} B"


def seconds_name(seconds: float) -> str:
    """Seconds for people; empty for NaN."""
    if math.isnan(seconds):
        return ""
    return f"{1e3 * seconds:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


_CUTS = {"memory": "16 GB of memory", "time": "100 ms a scan"}


def share_name(share: float) -> str:
    """A share in percent, to two digits."""
    if 0 < share < _TINY:
        return f"< {100 * _TINY:g} %"
    return "0" if share == 0 else f"{100 * share:.2g} %" if share < 0.995 else f"{100 * share:.0f} %"
