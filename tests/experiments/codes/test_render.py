"""Tables of the codes experiment."""

from dimco.experiments.codes.render import combinations_view, correlation_view, positions_view, symbols_view

RESULTS = {
    "k": 4,
    "positions": [{"position": 0, "used": 3, "entropy_bits": 1.5, "information_bits": 0.5}],
    "combinations": [
        {"symbols": {"0": 1, "2": 3}, "class": "ash", "alone": [0.1, 0.25], "together": 0.8, "items": 1200}
    ],
    "training": {"plug_in": 2.0, "corrected": 1.5, "codewords": 100, "items": 1000},
    "test": {"plug_in": 3.0, "corrected": 2.5, "codewords": 50, "items": 100},
    "rows": [
        {
            "position": 0,
            "symbol": 0,
            "usage": 0.1,
            "information": 0.2,
            "dead": False,
            "top_classes": [{"class": "ash", "share": 0.5, "lift": 5.2}],
        },
        {"position": 0, "symbol": 1, "usage": 0.2, "information": 0.4, "dead": False, "top_classes": []},
        {"position": 0, "symbol": 2, "usage": 0.0, "information": 0.0, "dead": True, "top_classes": []},
    ],
}


def cells(table):
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]


def test_positions_have_their_bits():
    assert cells(positions_view(RESULTS))[2] == ["0", "3", "1.50", "0.50"]


def test_combinations_have_the_share_alone_and_together():
    expected = ["ash", "position 0, symbol 1: 10 %", "position 2, symbol 3: 25 %", "80 % of 1,200"]
    assert cells(combinations_view(RESULTS))[2] == expected


def test_symbols_come_by_what_they_tell_and_dead_ones_are_named():
    table = cells(symbols_view(RESULTS))
    assert [row[0] for row in table[2:4]] == ["position 0, symbol 1", "position 0, symbol 0"]
    assert table[3][3] == "ash 50 % (x5)"
    assert symbols_view(RESULTS).endswith("Not used: 2 of position 0.")
    assert symbols_view({**RESULTS, "rows": RESULTS["rows"][:2]}).endswith("Not used: none.")


def test_correlation_comes_with_how_many_items_a_codeword_has():
    table = cells(correlation_view(RESULTS))
    assert table[2] == ["training", "1,000", "100", "10.0", "2.00", "1.50"]
    assert table[3][3] == "2.0"
