"""The contact sheet of a search with pictures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dimco.atomic import atomic_path
from dimco.cli.output import check_writable
from dimco.datasets.picture_file import read_picture
from dimco.errors import InputError
from dimco.extras import require
from dimco.search.agreement import Agreement
from dimco.search.neighbours import Neighbours

SHOWN_QUERIES, SHOWN_NEIGHBOURS = 20, 10
_KINDS = (".png", ".svg", ".pdf")


def check_sheet(sheet: Path, *read: Path | None) -> None:
    """Raise before any work unless a sheet can be written under that name, beside what is read."""
    if sheet.suffix.lower() not in _KINDS:
        raise InputError(f"expected {', '.join(_KINDS)} to write the contact sheet to; got {sheet.name}")
    require("matplotlib")
    check_writable(sheet, "contact sheet", *read)


def check_images(images: Any, found: Neighbours, source: Path) -> None:
    """Raise unless there is an image for every item found."""
    last = int(found.ids.max(initial=-1))
    if last >= len(images):
        raise InputError(f"expected an image for each id found, up to {last}; {source} holds {len(images):,}")


def write_sheet(
    sheet: Path,
    files: Sequence[Path],
    found: Neighbours,
    compared: Agreement,
    images: Any | None,
    names: list[str] | None,
) -> None:
    """Draw the first queries with their first neighbours; without images, their labels and codes alone."""
    from dimco.reports.contact_sheet import SheetCell, contact_sheet
    from dimco.reports.figure import PIXELS_PER_INCH, take_text_literally

    d = compared.codes.shape[1]
    rows = []
    for query, file in enumerate(files[:SHOWN_QUERIES]):
        pixels = np.asarray(read_picture(file))
        row = [SheetCell(pixels, file.name, "the query", compared.codes[query], None)]
        for rank in range(min(SHOWN_NEIGHBOURS, found.ids.shape[1])):
            item, agree = int(found.ids[query, rank]), compared.agree[query, rank]
            label = None if found.labels is None else named(found.labels[query, rank], names)
            row.append(
                SheetCell(
                    None if images is None else images[item],
                    f"item {item}" if label is None else label,
                    f"{_short(float(found.scores[query, rank]))} · {int(agree.sum())} of {d}",
                    compared.symbols[query, rank],
                    agree,
                )
            )
        rows.append(row)
    figure = contact_sheet(rows, "Queries and their nearest stored pictures", _caption(len(files), d))
    take_text_literally(figure)
    with atomic_path(sheet) as temporary:
        figure.savefig(temporary, format=sheet.suffix[1:].lower(), dpi=PIXELS_PER_INCH)


def named(label: Any, names: list[str] | None) -> str:
    """A label as people read it: the name of the class, where labels are places among names."""
    if names is not None and isinstance(label, (int, np.integer)) and 0 <= label < len(names):
        return names[int(label)]
    return str(label)


def _short(score: float) -> str:
    """A score in six characters or so."""
    return f"{score:.0f}" if score <= -100 else f"{round(score, 2) + 0.0:.2f}"


def _caption(queries: int, d: int) -> str:
    left = f"; the first {SHOWN_QUERIES} of {queries:,} queries" if queries > SHOWN_QUERIES else ""
    return (
        "Below a stored picture: its label, its score (0 is nearest), and how many of the code's "
        f"{d} symbols are the query's: the green squares{left}."
    )
