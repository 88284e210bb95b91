"""Maps of a codebook."""

from __future__ import annotations

import numpy as np
import pytest

from dimco.reports.code_map import code_map_figure, pairs_figure, usage_figure


def cells(figure):
    return figure.axes[0].get_images()[0].get_array()


def words(figure):
    return [text.get_text() for text in figure.axes[0].texts]


def test_usage_is_percent_of_the_items_with_dead_symbols_masked(codebook):
    figure = usage_figure(codebook, "How much")
    shown = cells(figure)
    np.testing.assert_allclose(shown.filled(0).sum(1), 100)
    np.testing.assert_array_equal(np.ma.getmaskarray(shown), codebook.usage == 0)
    assert f"{shown[0, 0]:.1f}" in words(figure)


def test_the_code_map_has_bits_and_main_classes(codebook):
    figure = code_map_figure(codebook, "What")
    record = codebook.summary()[4]
    assert cells(figure)[0, 1] == pytest.approx(record["information"])
    main = record["top_classes"][0]
    assert words(figure)[1] == f"{main['class']} {100 * main['share']:.0f} %"
    assert words(figure).count("") == (codebook.usage == 0).sum() >= 1


def test_pairs_leave_the_diagonal_out(codebook):
    figure = pairs_figure(codebook, "Shared")
    shared, shown = codebook.pairwise_information(), cells(figure)
    assert shown.mask.diagonal().all()
    assert shown[0, 1] == pytest.approx(shared[0, 1])
    assert figure.axes[0].get_images()[0].get_clim() == (0, shared.diagonal().min())


@pytest.mark.parametrize("make", [usage_figure, code_map_figure, pairs_figure])
def test_no_texts_overlap(codebook, assert_no_texts_overlap, make):
    codebook.classes[0] = "a class with a very long name indeed"
    assert_no_texts_overlap(make(codebook, "What the symbols of a code tell about the label, with a long title"))


def test_many_symbols_are_coloured_without_words(blobs):
    from dimco.backbones import Standardize
    from dimco.codebook import Codebook
    from dimco.heads import LinearHead
    from dimco.model import CodeModel
    from dimco.spec import CodeSpec

    model = CodeModel(Standardize(6).fit(blobs.x), LinearHead(6, CodeSpec(64, 5)))
    codebook = Codebook(model, blobs.x, blobs.labels)
    for make in (usage_figure, code_map_figure):
        assert words(make(codebook, "Many")) == []
