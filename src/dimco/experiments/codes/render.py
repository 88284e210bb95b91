"""Tables of the codes experiment, from its results file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dimco.reports.tables import markdown_table

Results = Mapping[str, Any]
_TELLING = 8


def positions_view(results: Results) -> str:
    """A row a position: symbols used, entropy, information about the label."""
    columns = {
        "position": "position",
        "used": f"symbols used, of {results['k']}",
        "entropy_bits": "H(X_i), bits",
        "information_bits": "I(X_i; Y), bits",
    }
    return markdown_table(results["positions"], columns)


def combinations_view(results: Results) -> str:
    """The pairs of the combinations picture: the share of the main class for each symbol alone and for both."""
    records = []
    for row in results["combinations"]:
        (first, a), (second, b) = row["symbols"].items()
        records.append(
            {
                "class": row["class"],
                "first": f"position {first}, symbol {a}: {100 * row['alone'][0]:.0f} %",
                "second": f"position {second}, symbol {b}: {100 * row['alone'][1]:.0f} %",
                "both": f"{100 * row['together']:.0f} % of {row['items']:,}",
            }
        )
    return markdown_table(records, {"class": "class", "first": "one symbol", "second": "the other", "both": "both"})


def symbols_view(results: Results) -> str:
    """The symbols that tell most about the label, and those that no item is given."""
    telling = sorted(results["rows"], key=lambda row: -row["information"])[:_TELLING]
    records = [
        {
            "symbol": f"position {row['position']}, symbol {row['symbol']}",
            "usage": f"{100 * row['usage']:.1f} %",
            "information": row["information"],
            "classes": ", ".join(
                f"{entry['class']} {100 * entry['share']:.0f} % (x{entry['lift']:.0f})" for entry in row["top_classes"]
            ),
        }
        for row in telling
    ]
    columns = {"symbol": "symbol", "usage": "usage", "information": "bits", "classes": "main classes (lift)"}
    table = markdown_table(records, columns, {"information": ".3f"})
    dead = [f"{row['symbol']} of position {row['position']}" for row in results["rows"] if row["dead"]]
    return f"{table}\n\nNot used: {', '.join(dead) if dead else 'none'}."


def correlation_view(results: Results) -> str:
    """Total correlation on both parts of the data, with what it takes to judge it."""
    records = [
        {**results[part], "part": part, "each": results[part]["items"] / results[part]["codewords"]}
        for part in ("training", "test")
    ]
    columns = {
        "part": "codes of the",
        "items": "items",
        "codewords": "codewords seen",
        "each": "items a codeword",
        "plug_in": "bits, from frequencies",
        "corrected": "bits, corrected",
    }
    return markdown_table(records, columns, {"each": ".1f"})
