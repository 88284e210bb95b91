"""The picture of what symbols mean."""

import numpy as np
import pytest
import torch

from dimco.errors import InputError
from dimco.reports.symbol_plot import symbol_figure

CLASSES = ["ash", "birch", "cedar"]


@pytest.fixture
def code(rng):
    """60 items, 3 classes, a 4x2 code: symbol 2 of position 0 is class 0; symbol 1 of position 1 is not used."""
    labels = np.arange(60) % 3
    log_probs = rng.normal(size=(60, 2, 4))
    log_probs[:, 0, 2] = np.where(labels == 0, 20, -20)
    log_probs[:, 1, 1] = -20
    log_probs -= np.log(np.exp(log_probs).sum(-1, keepdims=True))
    return log_probs, labels


def texts(axes):
    return [text.get_text() for text in axes.texts]


def heat(axes):
    return np.asarray(axes.get_images()[0].get_array())


def test_a_panel_a_position_and_a_row_a_used_symbol(code):
    figure = symbol_figure(*code, CLASSES)
    assert [heat(axes).shape for axes in figure.axes] == [(4, 3), (3, 3)]
    assert "position 0: 4 of 4 symbols used" in texts(figure.axes[0])
    assert "position 1: 3 of 4 symbols used" in texts(figure.axes[1])


def test_a_pure_symbol_stands_first_with_its_share_and_its_items(code):
    axes = symbol_figure(*code, CLASSES).axes[0]
    np.testing.assert_array_equal(heat(axes)[0], [1, 0, 0])
    assert {"2", "20", "100"} <= set(texts(axes))


def test_shares_of_every_symbol_sum_to_one(code):
    for axes in symbol_figure(*code, CLASSES).axes:
        np.testing.assert_allclose(heat(axes).sum(1), 1)


def test_lift_is_the_share_over_the_frequency_of_the_class(code):
    log_probs, labels = code
    kept = np.flatnonzero((labels != 0) | (np.arange(60) < 15))
    axes = symbol_figure(log_probs[kept], labels[kept], CLASSES, measure="lift").axes[0]
    np.testing.assert_allclose(heat(axes)[0], [45 / 5, 0, 0])


def test_examples_are_the_items_most_surely_given_the_symbol(code):
    log_probs, labels = code
    images = np.arange(60)[:, None, None] * np.ones((1, 5, 4))
    figure = symbol_figure(log_probs, labels, CLASSES, images, examples=30)
    shown = [int(image.get_array()[0, 0]) for image in figure.axes[1].get_images()]
    pure = sorted((item for item in range(60) if labels[item] == 0), key=lambda item: -log_probs[item, 0, 2])
    assert shown[:20] == pure
    symbols = log_probs[shown, 0].argmax(1)
    assert sorted(shown) == list(range(60))
    assert np.count_nonzero(np.diff(symbols)) == 3
    for symbol in range(4):
        assert (np.diff(log_probs[np.array(shown)[symbols == symbol], 0, symbol]) <= 0).all()


def test_colour_images_and_tensors_are_taken(code, rng):
    log_probs, labels = code
    figure = symbol_figure(torch.from_numpy(log_probs), labels, CLASSES, rng.random((60, 4, 4, 3)), examples=2)
    assert figure.axes[1].get_images()[0].get_array().shape == (4, 4, 3)


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("names", [CLASSES, "abc", ["a class with a very long name", "b", "c"]])
@pytest.mark.parametrize("pictured", [True, False])
def test_no_texts_overlap(rng, assert_no_texts_overlap, d, names, pictured):
    log_probs = rng.normal(size=(90, d, 16)) * 3
    images = rng.random((90, 3, 3)) if pictured else None
    figure = symbol_figure(log_probs, rng.integers(0, 3, 90), names, images, title="What the symbols mean (16 symbols)")
    assert_no_texts_overlap(figure)


def test_more_examples_than_items_are_all_items(code, rng):
    log_probs, labels = code
    figure = symbol_figure(log_probs[:3], labels[:3], CLASSES, rng.random((3, 2, 2)), examples=7)
    assert figure.axes[1].get_xlim() == (0, 3)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"log_probs": np.zeros((60, 8))}, "log_probs"),
        ({"labels": np.zeros(59, dtype=int)}, "labels"),
        ({"labels": np.full(60, 3)}, "labels from 0 to 2; got 3 to 3"),
        ({"images": np.zeros((60, 8))}, "60 images"),
        ({"images": np.zeros((59, 8, 8))}, "60 images"),
        ({"log_probs": np.zeros((60, 64, 16))}, "at most 512 symbols in all to draw; got 16x64"),
        ({"measure": "count"}, '"share" or "lift"'),
    ],
)
def test_what_cannot_be_drawn_is_refused(code, change, message):
    log_probs, labels = code
    with pytest.raises(InputError, match=message):
        symbol_figure(**{"log_probs": log_probs, "labels": labels, "classes": CLASSES, **change})
