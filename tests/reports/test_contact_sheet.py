"""Contact sheets, read back from their pixels and words."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("matplotlib", reason="contact sheets need the extra plots")

from dimco.reports.contact_sheet import SheetCell, contact_sheet
from dimco.reports.figure import PIXELS_PER_INCH

RED, BLUE = (np.full((4, 4, 3), colour, np.uint8) for colour in ((250, 0, 0), (0, 0, 250)))


def cell(image, title, agree, code=(3, 11)):
    return SheetCell(image, title, f"{title} detail", np.array(code), None if agree is None else np.array(agree))


def pixels_of(figure):
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=PIXELS_PER_INCH)
    return np.asarray(Image.open(drawn).convert("RGB"))


def words_of(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def test_queries_stand_at_the_left_and_neighbours_after_them_in_their_order():
    rows = [[cell(RED, "mine.jpg", None), cell(BLUE, "near", [True, False]), cell(RED, "far", [False, False])]]
    pixels = pixels_of(contact_sheet(rows, "title", "caption"))
    middle = pixels[118 + 75].astype(int)
    red, blue = (np.flatnonzero(np.abs(middle - colour).sum(1) < 10) for colour in ((250, 0, 0), (0, 0, 250)))
    assert red.min() < blue.min() < blue.max() < red.max()
    assert (len(red), len(blue)) == (300, 150)


def test_every_cell_has_its_words_and_the_symbols_of_its_code():
    rows = [[cell(RED, "mine.jpg", None), cell(BLUE, "near", [True, False])], [cell(BLUE, "other", None)]]
    words = words_of(contact_sheet(rows, "title", "caption"))
    assert words.count("3") == words.count("11") == 3
    for word in ("title", "caption", "mine.jpg", "near detail", "other"):
        assert word in words


def test_long_words_are_cut_and_long_codes_have_no_numbers():
    code, agree = np.arange(64), np.ones(64, bool)
    rows = [[SheetCell(RED, "a_very_long_name_of_a_class", "", code, agree)]]
    words = words_of(contact_sheet(rows, "", ""))
    assert "a_very_long_n…" in words
    assert "5" not in words


def test_a_row_with_fewer_neighbours_and_an_item_without_a_picture_are_drawn():
    rows = [[cell(RED, "a", None), cell(None, "b", [True, True])], [cell(RED, "c", None)]]
    pixels = pixels_of(contact_sheet(rows, "", ""))
    grey = (pixels[118 : 118 + 150] == 238).all(2)
    assert grey.sum(0).max() == grey.sum(1).max() == 150
