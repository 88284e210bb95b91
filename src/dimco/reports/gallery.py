"""Every picture of a codebook, written to a folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from dimco.codebook import Codebook
from dimco.errors import InputError
from dimco.reports.code_map import code_map_figure, pairs_figure, usage_figure
from dimco.reports.figure import save_figure
from dimco.reports.gallery_plot import gallery_figure
from dimco.reports.gallery_rows import combination_rows, position_rows, telling_pairs

_PAIRS, _ROWS_A_PICTURE, _MOST_SYMBOLS = 4, 64, 1_024


class Gallery(NamedTuple):
    """What `write_gallery` wrote: the paths, and the pairs of symbols that the combinations show."""

    files: list[Path]
    pairs: list[dict[int, int]]


def write_gallery(
    codebook: Codebook,
    folder: Path,
    images: Any | None = None,
    *,
    noun: str = "items",
    name: str = "",
    top: int = 10,
    positions: int = 16,
    stem: str = "",
    on_file: Callable[[Path], None] | None = None,
) -> Gallery:
    """Draw the maps, the telling combinations (figure 2) and every symbol (the appendix's gallery), as PNG and SVG.

    Parameters
    ----------
    codebook : Codebook
    folder : Path
    images : anything indexed by item, optional
        Without images the gallery shows the classes of each symbol, for which the codebook needs labels.
    noun : str, default="items"
        What the items are called.
    name : str
        Of the data, for titles.
    top : int, default=10
        Images a symbol.
    positions : int, default=16
        Positions to draw, the first ones.
    stem : str
        Before the name of every file.
    on_file : callable, optional
        Called with each PNG.
    """
    if images is None and codebook.labels is None:
        raise InputError("expected images or labels to show what symbols mean; got neither")
    if codebook.spec.k > _MOST_SYMBOLS:
        raise InputError(
            f"expected at most {_MOST_SYMBOLS:,} symbols at each position to draw; got {codebook.spec.k:,}"
        )
    files: list[Path] = []
    shown = f"the {codebook.spec} code" + (f" of {name}" if name else "")

    def write(figure: Any, what: str, photographs: bool = False) -> None:
        files.extend(save_figure(figure, folder / f"{stem}{what}", few_colours=photographs))
        if on_file is not None:
            on_file(files[-2])

    write(usage_figure(codebook, f"How much {shown} uses its symbols"), "usage")
    if codebook.labels is not None:
        write(code_map_figure(codebook, f"What the symbols of {shown} tell about the label"), "map")
    if codebook.spec.d > 1:
        write(pairs_figure(codebook, f"What the positions of {shown} share"), "pairs")
    caption, pictured = _caption(noun, images, top), images is not None
    pairs = telling_pairs(codebook, _PAIRS)
    if pairs:
        blocks = [combination_rows(codebook, pair, top) for pair in pairs]
        figure = gallery_figure(blocks, images, f"Two symbols alone and together: {shown}", caption)
        write(figure, "combinations", pictured)
    examples = codebook.examples(top)
    for position in range(min(positions, codebook.spec.d)):
        rows = position_rows(codebook, position, examples[position].tolist())
        for part, first in enumerate(range(0, len(rows), _ROWS_A_PICTURE)):
            block = rows[first : first + _ROWS_A_PICTURE]
            figure = gallery_figure([block], images, f"Position {position} of {shown}", caption)
            suffix = f"-part-{part}" if len(rows) > _ROWS_A_PICTURE else ""
            write(figure, f"position-{position}{suffix}", pictured)
    return Gallery(files, pairs)


def _caption(noun: str, images: Any | None, top: int) -> str:
    if images is None:
        return f"The most frequent classes among the {noun} given each symbol; grey is all the others."
    return f"In a row the {top} {noun} of highest probability, highest first; at the right, all those given it."
