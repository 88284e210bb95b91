"""What a gallery says of symbols and combinations."""

from __future__ import annotations

import itertools

import numpy as np

from dimco.reports.gallery_rows import combination_rows, position_rows, telling_pairs


def test_a_row_a_symbol_in_order(codebook):
    examples = codebook.examples(4)[1].tolist()
    rows = position_rows(codebook, 1, examples)
    assert [row.heading for row in rows] == [f"symbol {symbol}" for symbol in range(4)]
    assert [row.items for row in rows] == examples
    for symbol, row in enumerate(rows):
        page = codebook.symbol(1, symbol)
        assert row.detail == {0: "not used", 1: "1 item"}.get(page.given, f"{page.given} items")
        assert row.dead == (page.given == 0)
        assert row.classes == [(name, count / page.given) for name, count in page.histogram.items()]


def test_a_combination_has_its_symbols_and_all_of_them(codebook):
    rows = combination_rows(codebook, {0: 1, 1: 2}, top=3)
    assert [row.heading for row in rows] == ["position 0, symbol 1", "position 1, symbol 2", "both"]
    assert rows[2].items == codebook.combine({0: 1, 1: 2}, top=3).items.tolist()
    assert combination_rows(codebook, {0: 1, 1: 2, 2: 0})[3].heading == "all together"


def test_telling_pairs_gain_most_and_share_nothing(codebook):
    pairs = telling_pairs(codebook, 9, fewest=2)
    gains = [_gain(codebook, pair) for pair in pairs]
    assert gains == sorted(gains, reverse=True)
    best = max(
        _gain(codebook, {i: a, j: b})
        for i, j in itertools.combinations(range(3), 2)
        for a, b in np.ndindex(4, 4)
        if codebook.combine({i: a, j: b}).matches >= 2
    )
    assert gains[0] == best
    used = [cell for pair in pairs for cell in pair.items()]
    assert len(used) == len(set(used))
    names = [next(iter(codebook.combine(pair).histogram)) for pair in pairs]
    assert len(names) == len(set(names))


def test_without_labels_no_pair_tells(unlabelled):
    assert telling_pairs(unlabelled, 3) == []


def _gain(codebook, pair):
    both = codebook.combine(pair)
    main = next(iter(both.histogram))
    alone = [codebook.symbol(position, symbol) for position, symbol in pair.items()]
    return both.purity - max(page.histogram.get(main, 0) / page.given for page in alone)
