"""What a gallery shows of each symbol or combination of symbols, in words and items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dimco.codebook import Codebook
from dimco.reports.one_line import one_line

_NAMED, _LETTERS = 3, 30
_Telling = tuple[float, int, tuple[int, int], tuple[int, int]]  # gain, main class, and two symbols by position


class GalleryRow(NamedTuple):
    """One row of a gallery.

    Attributes
    ----------
    heading : str
    detail : str
        Under the heading: how many items.
    items : list of int
        The items to picture, best first.
    classes : list of (str, float)
        The most frequent classes among the items given the symbol, with their share of them.
    dead : bool
        No item is given the symbol.
    """

    heading: str
    detail: str
    items: list[int]
    classes: list[tuple[str, float]]
    dead: bool


def position_rows(codebook: Codebook, position: int, examples: Sequence[Sequence[int]]) -> list[GalleryRow]:
    """A row for each symbol of a position, in the order of the symbols.

    Parameters
    ----------
    codebook : Codebook
    position : int
    examples : (k, top) items
        `codebook.examples()[position]`.
    """
    rows = []
    for symbol in range(codebook.spec.k):
        given = int(codebook.usage[position, symbol])
        counts = codebook.class_counts[position, symbol]
        histogram = {codebook.classes[c]: int(counts[c]) for c in (-counts).argsort(kind="stable")}
        rows.append(_row(f"symbol {symbol}", given, examples[symbol], histogram))
    return rows


def combination_rows(codebook: Codebook, wanted: Mapping[int, int], top: int = 10) -> list[GalleryRow]:
    """A row for each symbol of a combination alone, and one for all of them together (figure 2)."""
    rows = []
    for position, symbol in wanted.items():
        page = codebook.symbol(position, symbol, top)
        rows.append(_row(f"position {position}, symbol {symbol}", page.given, page.items, page.histogram))
    together = codebook.combine(wanted, top=top)
    heading = "both" if len(wanted) == 2 else "all together"
    return [*rows, _row(heading, together.matches, together.items, together.histogram)]


def telling_pairs(codebook: Codebook, wanted: int, fewest: int = 20) -> list[dict[int, int]]:
    """Pairs of symbols that together name a class which neither names alone, the most telling first.

    Of all pairs of symbols of two positions whose codes at least `fewest` items share, those whose main class is the
    most frequent above what the better of the two symbols gives it; each class and each symbol is used once.
    """
    if codebook.labels is None:
        return []
    symbols, labels = codebook.codes.unpack().astype(np.int64), codebook.labels
    k, d, classes = codebook.spec.k, codebook.spec.d, len(codebook.classes)
    shares = codebook.class_counts / codebook.usage[..., None].clip(min=1)
    found: list[_Telling] = []
    for first in range(d):
        for second in range(first + 1, d):
            for cell, counts in _frequent(symbols[:, first] * k + symbols[:, second], labels, classes, fewest):
                main = int(counts.argmax())
                a, b = (first, cell // k), (second, cell % k)
                gain = counts[main] / counts.sum() - max(shares[(*a, main)], shares[(*b, main)])
                found.append((float(gain), main, a, b))
    return _apart(sorted(found, reverse=True), wanted)


def _row(heading: str, given: int, items: Iterable[int], histogram: Mapping[Any, int]) -> GalleryRow:
    named = [(one_line(name, _LETTERS), count / given) for name, count in list(histogram.items())[:_NAMED] if count]
    detail = "not used" if given == 0 else f"{given:,} item{'' if given == 1 else 's'}"
    return GalleryRow(heading, detail, [int(item) for item in items], named, given == 0)


def _frequent(
    cells: NDArray[np.int64], labels: NDArray[np.int64], classes: int, fewest: int
) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """The cells that at least `fewest` items share, with the classes of those."""
    seen, places, sizes = np.unique(cells, return_inverse=True, return_counts=True)
    counts = np.bincount(places * classes + labels, minlength=len(seen) * classes).reshape(-1, classes)
    for place in np.flatnonzero(sizes >= fewest):
        yield int(seen[place]), counts[place]


def _apart(found: list[_Telling], wanted: int) -> list[dict[int, int]]:
    """The first pairs that share neither class nor symbol with one before."""
    pairs: list[dict[int, int]] = []
    seen: set[Any] = set()
    for _, main, a, b in found:
        if len(pairs) < wanted and not seen & {main, a, b}:
            pairs.append(dict((a, b)))
            seen |= {main, a, b}
    return pairs
