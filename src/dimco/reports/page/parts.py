"""Pieces of an HTML page: text, tables, bars, pictures and curves."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Mapping, Sequence
from typing import Any

from dimco.extras import require
from dimco.reports.one_line import with_share
from dimco.reports.pictures import mosaic

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _TOP = 640, 220, 64, 28, 18
_QUALITY, _GAP = 82, 2


def text(value: Any) -> str:
    """A value as HTML text; floats with two decimals, None as a dash."""
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.2f}"
    if isinstance(value, int):
        return f"{value:,}"
    return html.escape(str(value))


def section(name: str, heading: str, *content: str) -> str:
    """A section that can be linked to."""
    inside = "\n".join(content)
    return f'<section id="{name}"><h2>{text(heading)}</h2>\n{inside}\n</section>'


def paragraph(words: str) -> str:
    return f"<p>{text(words)}</p>"


def table(headings: Sequence[str], rows: Sequence[Sequence[str]], stacked: bool = False) -> str:
    """A table of cells that are HTML already; on a narrow screen it scrolls sideways, or has its cells stacked."""
    head = "".join(f"<th scope=col>{text(heading)}</th>" for heading in headings)
    body = "\n".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    kind = ' class="stack"' if stacked else ""
    return f'<div class="wide"><table{kind}><thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>'


def facts(pairs: Mapping[str, Any]) -> str:
    """Names and values, one a line."""
    lines = "".join(f"<div><dt>{text(name)}</dt><dd>{text(value)}</dd></div>" for name, value in pairs.items())
    return f'<dl class="facts">{lines}</dl>'


def bar(shares: Sequence[tuple[str, float]]) -> str:
    """Shares of a whole side by side, with their names as words below."""
    parts = "".join(
        f'<i class="c{place}" style="width:{100 * share:.1f}%"></i>' for place, (_, share) in enumerate(shares)
    )
    words = ", ".join(text(with_share(name, share)) for name, share in shares)
    return f'<span class="bar" aria-hidden="true">{parts}</span><span class="words">{words}</span>'


def strip(images: Any, items: Sequence[int], side: int, label: str) -> str:
    """Images side by side, as one picture inside the page."""
    pixels = mosaic(images, [list(items)], side, _GAP)[:side, :-_GAP]
    file = io.BytesIO()
    require("PIL.Image").fromarray(pixels).save(file, format="jpeg", quality=_QUALITY)
    data = base64.b64encode(file.getvalue()).decode()
    height, width = pixels.shape[:2]
    source = f"data:image/jpeg;base64,{data}"
    return (
        f'<img src="{source}" width="{width}" height="{height}" alt="{html.escape(label, quote=True)}" loading="lazy">'
    )


def curves(series: Mapping[str, Sequence[tuple[float, float]]], across: str, up: str) -> str:
    """Lines as SVG in the page's own colours."""
    points = [point for line in series.values() for point in line]
    low_x, high_x = min(x for x, _ in points), max(x for x, _ in points)
    low_y, high_y = min(0.0, *(y for _, y in points)), max(y for _, y in points)

    def place(x: float, y: float) -> str:
        right = _LEFT + (_WIDTH - _LEFT - 8) * (x - low_x) / (high_x - low_x or 1)
        down = _TOP + (_HEIGHT - _BOTTOM - _TOP) * (high_y - y) / (high_y - low_y or 1)
        return f"{right:.1f},{down:.1f}"

    lines = "".join(
        f'<polyline class="l{number}" points="{" ".join(place(x, y) for x, y in line)}"/>'
        for number, line in enumerate(series.values())
    )
    ticks = "".join(
        f'<text x="{_LEFT - 6}" y="{float(place(low_x, y).split(",")[1]) + 4:.1f}" text-anchor="end">{y:.2f}</text>'
        for y in (low_y, (low_y + high_y) / 2, high_y)
    )
    base = f'<path class="axis" d="M{_LEFT},{_TOP}V{_HEIGHT - _BOTTOM}H{_WIDTH - 8}"/>'
    ends = f'<text x="{_LEFT}" y="{_HEIGHT - 8}">{low_x:g}</text>'
    ends += f'<text x="{_WIDTH - 8}" y="{_HEIGHT - 8}" text-anchor="end">{text(across)} {high_x:g}</text>'
    keys = " ".join(f'<span class="key l{number}">{text(name)}</span>' for number, name in enumerate(series))
    label = html.escape(f"{up} by {across}", quote=True)
    drawing = f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{label}">{base}{ticks}{ends}{lines}</svg>'
    return f"<figure>{drawing}<figcaption>{text(up)}: {keys}</figcaption></figure>"
