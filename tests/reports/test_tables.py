"""Markdown tables."""

import numpy as np
import pytest

from dimco.errors import InputError
from dimco.reports.tables import markdown_table, pivot


def cells(line):
    return [cell.strip() for cell in line.replace("\\|", "\0").strip("|").split("|")]


def test_numbers_stand_right_and_text_left_and_lines_are_equally_long():
    table = markdown_table(
        [{"method": "pq", "items": 1200, "top1": 87.456}, {"method": "dimco", "items": 7, "top1": 9.0}],
        ["method", "items", "top1"],
    )
    assert table.splitlines() == [
        "| method | items |  top1 |",
        "| ------ | ----: | ----: |",
        "| pq     | 1,200 | 87.46 |",
        "| dimco  |     7 |  9.00 |",
    ]


def test_headings_and_formats_are_the_callers():
    table = markdown_table([{"v": 0.5}], {"v": "share"}, {"v": ".0%"})
    assert cells(table.splitlines()[0]) == ["share"]
    assert cells(table.splitlines()[2]) == ["50%"]


def test_what_is_missing_leaves_its_cell_empty():
    table = markdown_table([{"a": 1}, {"a": None}, {"a": float("nan")}, {}], ["a"])
    assert [cells(line) for line in table.splitlines()[2:]] == [["1"], [""], [""], [""]]
    assert table.splitlines()[1] == "| --: |"


def test_numbers_of_numpy_are_numbers_and_truth_is_text():
    table = markdown_table([{"a": np.int64(1000), "b": np.float32(0.5), "c": True}], ["a", "b", "c"])
    assert cells(table.splitlines()[2]) == ["1,000", "0.50", "True"]
    assert cells(table.splitlines()[1]) == ["----:", "---:", "----"]


def test_bars_and_line_ends_do_not_break_the_table():
    table = markdown_table([{"a": "x|y\nz"}], ["a"])
    assert len(table.splitlines()) == 3
    assert "x\\|y z" in table


def test_no_rows_give_the_head_alone():
    assert markdown_table([], ["a", "b"]).splitlines() == ["| a   | b   |", "| --- | --- |"]


def test_no_columns_are_refused():
    with pytest.raises(InputError, match="at least one column"):
        markdown_table([{"a": 1}], [])


def test_pivot_makes_a_record_of_each_key_in_the_order_they_come():
    rows = [
        {"bits": bits, "method": method, "value": bits * len(method)} for bits in (16, 4) for method in ("pq", "dimco")
    ]
    assert pivot(rows[:-1], ["bits"], "method") == [{"bits": 16, "pq": 32, "dimco": 80}, {"bits": 4, "pq": 8}]
