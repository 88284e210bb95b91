"""Figures without global state: made with the Agg canvas, written atomically as PNG and SVG."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from dimco.atomic import atomic_path
from dimco.extras import require

# Okabe and Ito's palette: told apart with any colour vision, and by markers as well.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C564B")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
PIXELS_PER_INCH = 150


def new_figure(width: float, height: float) -> Any:
    """An empty white `matplotlib.figure.Figure`, sizes in inches."""
    figures = require("matplotlib.figure")
    return figures.Figure(figsize=(width, height), facecolor="white")


def save_figure(figure: Any, stem: str | Path, few_colours: bool = False) -> tuple[Path, Path]:
    """Write STEM.png and STEM.svg, each atomically; the same figure gives the same bytes.

    With `few_colours` the PNG has a palette of 256, which makes one with photographs several times smaller.
    """
    matplotlib = require("matplotlib")
    take_text_literally(figure)
    stem = Path(stem)
    written = stem.with_name(f"{stem.name}.png"), stem.with_name(f"{stem.name}.svg")
    with matplotlib.rc_context({"svg.hashsalt": stem.name}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        for path, kind, metadata in zip(written, ("png", "svg"), ({"Software": None}, {"Date": None}), strict=True):
            with atomic_path(path) as temporary:
                figure.savefig(temporary, format=kind, dpi=PIXELS_PER_INCH, metadata=metadata)
                if few_colours and kind == "png":
                    _reduce(temporary)
    return written


def take_text_literally(figure: Any) -> None:
    """Draw all text as it stands: in names of classes and files a dollar sign starts no formula.

    Numbers at logarithmic axes are formulas, and stay so.
    """
    text, log_formatter = require("matplotlib.text").Text, require("matplotlib.ticker").LogFormatter
    axes = [axis for each in figure.axes for axis in (each.xaxis, each.yaxis)]
    logarithmic = [axis for axis in axes if isinstance(axis.get_major_formatter(), log_formatter)]
    numbers = {number for axis in logarithmic for number in axis.findobj(text)}
    for found in figure.findobj(text):
        if found not in numbers:
            found.set_parse_math(False)


def _reduce(path: Path) -> None:
    """Write a PNG again with a palette of its own, dithered so that photographs keep their shades."""
    pillow = require("PIL.Image")
    with pillow.open(path) as image:
        colours = image.convert("RGB")
    palette = colours.quantize(256, method=pillow.Quantize.FASTOCTREE)
    colours.quantize(palette=palette, dither=pillow.Dither.FLOYDSTEINBERG).save(path, format="png", optimize=True)
