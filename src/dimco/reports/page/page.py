"""The page put together."""

from __future__ import annotations

from dimco.reports.page import sections
from dimco.reports.page.collect import ModelReport
from dimco.reports.page.parts import text
from dimco.reports.page.style import STYLE

_PARTS = {
    "numbers": sections.numbers,
    "training": sections.training,
    "map": sections.code_map,
    "gallery": sections.gallery,
    "failures": sections.failures,
    "card": sections.card,
}


def report_page(report: ModelReport) -> str:
    """One HTML file: style, pictures and curves are inside it, and it asks for nothing outside."""
    links = " ".join(f'<a href="#{name}">{name}</a>' for name in _PARTS)
    spec = report.model.spec
    lead = f"A {spec} code: {spec.d} positions of {spec.k} symbols, {spec.bits} bits an item."
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{text(report.title)}</title>
<style>
{STYLE}</style>
</head>
<body>
<header><h1>{text(report.title)}</h1><p class="quiet">{text(lead)}</p><nav>{links}</nav></header>
<main>
{"".join(part(report) for part in _PARTS.values())}
</main>
</body>
</html>
"""
