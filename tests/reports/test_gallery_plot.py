"""The picture of a gallery."""

from __future__ import annotations

import pytest

from dimco.reports.gallery_plot import gallery_figure
from dimco.reports.gallery_rows import GalleryRow, combination_rows, position_rows

CAPTION = "The three items with the highest probability of each."


def texts(figure):
    return [text.get_text() for text in figure.axes[0].texts]


@pytest.fixture
def rows(codebook):
    return position_rows(codebook, 2, codebook.examples(3)[2].tolist())


def test_a_row_has_its_words_and_its_pictures(rows, images):
    figure = gallery_figure([rows], images, "Position 2", CAPTION)
    shown = texts(figure)
    assert {"Position 2", CAPTION, "symbol 0", "not used", rows[0].detail} <= set(shown)
    assert f"{rows[0].classes[0][0]} {100 * rows[0].classes[0][1]:.0f} %" in shown[5].split("\n") + shown[6].split("\n")
    (grid,) = figure.axes[0].get_images()
    assert grid.get_array().shape == (4 * 64, 3 * 64, 3)


def test_without_images_bars_show_the_classes(rows):
    figure = gallery_figure([rows], None, "Position 2", CAPTION)
    assert not figure.axes[0].get_images()
    widths = [bar.get_width() for bar in figure.axes[0].patches]
    assert sum(widths) == pytest.approx(4 * 360)


def test_dead_symbols_are_grey(rows, images):
    figure = gallery_figure([rows], images, "Position 2", CAPTION)
    (dead,) = [text for text in figure.axes[0].texts if text.get_text() == "symbol 1"]
    assert dead.get_color() == "#999999"


@pytest.mark.parametrize("pictured", [True, False])
@pytest.mark.parametrize("name", ["a", "a class with a very long name indeed"])
def test_no_texts_overlap(codebook, images, assert_no_texts_overlap, pictured, name):
    codebook.classes[0] = name
    blocks = [combination_rows(codebook, {0: 1, 1: 2}, 3), combination_rows(codebook, {1: 3, 2: 0}, 3)]
    long = [GalleryRow("position 15, symbol 255", "1,000,000 items", [1], [(name, 0.5)], False)]
    figure = gallery_figure([*blocks, long], images if pictured else None, "Two symbols alone and together", CAPTION)
    assert_no_texts_overlap(figure)
