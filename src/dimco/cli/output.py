"""What commands print: the result on standard output, everything else on standard error."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from dimco.errors import FileError, InputError


def show(result: Mapping[str, Any], as_json: bool, title: str | None = None) -> None:
    """Print a flat record as one JSON object, or as a table for people."""
    if as_json:
        print(json.dumps(dict(result)))  # noqa: T201
        return
    table = Table(show_header=False, box=None, pad_edge=False, title=title, title_justify="left")
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for name, value in result.items():
        if value is not None:
            table.add_row(name.replace("_", " "), _readable(value))
    Console().print(table)


def note(message: str, quiet: bool) -> None:
    """A line of progress."""
    if not quiet:
        Console(stderr=True).print(message, highlight=False, soft_wrap=True)


def check_writable(output: Path, what: str, *read: Path | None) -> None:
    """Find out before the work, not after it, that its result cannot be written, or would destroy what is read."""
    if output.is_dir():
        raise InputError(f"expected a file to write the {what} to; {output} is a folder")
    if not output.parent.is_dir():
        raise FileError(f"cannot write {output}: no folder {output.parent}")
    if output.exists() and any(file is not None and file.exists() and output.samefile(file) for file in read):
        raise InputError(f"expected another file to write the {what} to; {output} is one that is read")


def _readable(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.2f}"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_readable(part)}" for name, part in value.items() if part is not None)
    if isinstance(value, list):
        shown = ", ".join(str(part) for part in value[:8])
        return shown if len(value) <= 8 else f"{shown}, ... ({len(value)} in all)"
    return str(value)
