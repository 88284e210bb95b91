"""Tables in the docs, rendered from the JSON under results/.

A markdown file says where a table goes, and this module keeps what stands between the two marks:

    <!-- table: VIEW from results/NAME.json -->
    <!-- end of table -->
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from dimco.errors import InputError, MissingFileError
from dimco.reports.tables import markdown_table

Results = Mapping[str, Any]
View = Callable[[Results], str]

_MARK = re.compile(r"(<!-- table: (\S+) from (\S+) -->\n).*?(<!-- end of table -->)", re.DOTALL)


def rendered(text: str, root: Path, views: Mapping[str, View]) -> str:
    """The text with every table made anew from its results file, named relative to `root`."""

    def table(match: re.Match[str]) -> str:
        opening, view, name, closing = match.groups()
        if view not in views:
            raise InputError(f"expected a table view of {', '.join(views)}; got {view!r}")
        file = root / name
        if not file.exists():
            raise MissingFileError(f"no such results file: {file}")
        return f"{opening}\n{views[view](json.loads(file.read_text(encoding='utf-8')))}\n\n{closing}"

    return _MARK.sub(table, text)


def plain_view(results: Results) -> str:
    """Every row under the columns that the results file names."""
    columns: dict[str, str] = results["columns"]
    rows: Sequence[Mapping[str, Any]] = results["rows"]
    return markdown_table(rows, columns)


def documents(root: Path) -> list[Path]:
    """The markdown files that may hold tables."""
    return [root / "README.md", *sorted((root / "docs").glob("*.md"))]
