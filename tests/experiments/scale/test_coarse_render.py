"""Tables of the coarse first stage."""

from dimco.experiments.scale import coarse_render


def cells(table):
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line][2:]


def coarse_row(cells_of, probes, share, recall, ms, items=10**6):
    fields = {"dataset": "random", "k": 16, "d": 4, "items": items, "cells": cells_of, "probes": probes}
    return {**fields, "share": share, "recall@10": recall, "ms": ms}


COARSE = {
    "rows": [
        coarse_row("first", "plain", 1.0, 1.0, 0.5),
        coarse_row("first", None, 0.25, 1.0, 0.2),
        coarse_row("first", 1, 0.01, 0.5, 0.1),
        coarse_row("first", 4, 0.04, 0.96, 0.12),
        coarse_row("9 modes", "plain", 1.0, 1.0, 0.4),
        coarse_row("9 modes", None, 1.0, 1.0, 0.9),
        coarse_row("9 modes", 1, 0.1, 0.3, 0.1),
    ]
}


def test_coarse_tables_have_time_and_share_beside_the_plain_scan():
    assert cells(coarse_render.exact_view(COARSE)) == [
        ["random", "16x4", "1,000,000", "0.4", "0.2 (25 %)", "0.9 (100 %)"]
    ]
    assert cells(coarse_render.limited_view(COARSE))[0][4:] == ["0.12 (4 %)", ""]


def test_break_even_is_where_the_lines_cross():
    assert coarse_render.break_even([(100, 1.0, 2.0), (1_100, 11.0, 7.0)]) == "300"
    assert coarse_render.break_even([(100, 1.0, 2.0), (200, 1.0, None)]) == "not reached"
    assert coarse_render.break_even([(100, 1.0, 2.0), (200, 2.0, 2.0)]) == "more than 200"
    assert coarse_render.break_even([(100, 1.0, 0.5), (200, 2.0, 0.5)]) == "less than 100"


def test_break_even_has_a_row_a_kind_of_cells_measured_at_several_sizes():
    larger = [coarse_row("first", "plain", 1, 1, 2.5, 3 * 10**6), coarse_row("first", None, 0.1, 1, 0.5, 3 * 10**6)]
    slower = [{**row, "ms": 0.7} if row["probes"] is None else row for row in COARSE["rows"]]
    rows = cells(coarse_render.break_even_view({"rows": slower + larger}))
    assert rows == [["random", "16x4", "first", "1,200,000", "not reached"]]
