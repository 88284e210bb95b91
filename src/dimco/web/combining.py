"""Answers about symbols: one alone, or several with AND and NOT."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from dimco.codebook.pages import check_symbol
from dimco.errors import InputError
from dimco.spec import CodeSpec
from dimco.web.answers import CombinationAnswer, SymbolAnswer
from dimco.web.collection import Collection
from dimco.web.describing import class_shares, examples

MOST_TERMS = 64
_TERM = re.compile(r"(\d{1,5}):(\d{1,5})")


def read_terms(texts: Sequence[str], spec: CodeSpec) -> list[tuple[int, int]]:
    """Position and symbol of terms such as "2:5"."""
    pairs = []
    for text in texts:
        match = _TERM.fullmatch(text)
        if match is None:
            raise InputError(f"expected a position and a symbol such as 2:5; got {text[:40]!r}")
        pair = int(match[1]), int(match[2])
        check_symbol(spec, *pair)
        pairs.append(pair)
    return pairs


def symbol_answer(
    collection: Collection, position: int, symbol: int, information: float | None, n: int
) -> SymbolAnswer:
    """One symbol of one position."""
    page = collection.codebook.symbol(position, symbol, n)
    meets = collection.symbols[page.items, position] == symbol
    return SymbolAnswer(
        position=position,
        symbol=symbol,
        items=page.given,
        of=len(collection),
        information=information,
        classes=class_shares(collection, page.histogram),
        classes_in_all=len(page.histogram),
        examples=examples(collection, page.items, page.probabilities, meets),
    )


def combination_answer(
    collection: Collection, wanted: Sequence[tuple[int, int]], excluded: Sequence[tuple[int, int]], n: int
) -> CombinationAnswer:
    """Items with all symbols wanted and none of those excluded."""
    has: dict[int, int] = {}
    for position, symbol in wanted:
        if has.setdefault(position, symbol) != symbol:
            raise InputError(f"expected one symbol a position, as items have; got {has[position]} and {symbol}")
    lacks: dict[int, list[int]] = {}
    for position, symbol in dict.fromkeys(excluded):
        lacks.setdefault(position, []).append(symbol)
    found = collection.codebook.combine(has, {**lacks}, n)
    symbols = collection.symbols[found.items]
    meets = np.ones(len(symbols), dtype=bool)
    for position, symbol in has.items():
        meets &= symbols[:, position] == symbol
    for position, without in lacks.items():
        meets &= ~np.isin(symbols[:, position], without)
    return CombinationAnswer(
        matches=found.matches,
        of=len(collection),
        purity=found.purity if found.histogram else None,
        classes=class_shares(collection, found.histogram),
        classes_in_all=len(found.histogram),
        examples=examples(collection, found.items, np.exp(found.scores), meets),
    )
