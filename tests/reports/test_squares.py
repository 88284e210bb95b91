"""Codes as squares."""

from __future__ import annotations

import numpy as np
import pytest

from dimco.reports.squares import NUMBERED, squares

GREEN, LIGHT, DARK, WHITE = (0, 125, 88), (222, 222, 222), (70, 70, 70), (255, 255, 255)


def blobs(pixels, colour):
    """How many separate areas of a colour there are: areas that touch by a side are one."""
    left = {tuple(place) for place in np.argwhere((pixels == colour).all(2)).tolist()}
    count = 0
    while left:
        waiting, count = [left.pop()], count + 1
        while waiting:
            row, column = waiting.pop()
            beside = {(row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)} & left
            left -= beside
            waiting += beside
    return count


@pytest.mark.parametrize("d", [1, 4, NUMBERED, NUMBERED + 1, 12, 64, 256])
def test_every_position_is_a_square_of_its_own(d):
    agree = np.arange(d) % 3 == 0
    pixels = squares(np.arange(d), agree, 150)
    assert pixels.shape[1] == 150
    assert (blobs(pixels, GREEN), blobs(pixels, LIGHT)) == (agree.sum(), d - agree.sum())


def test_a_code_of_its_own_is_dark():
    pixels = squares(np.arange(5), None, 150)
    assert blobs(pixels, DARK) == 5
    assert {tuple(colour) for colour in pixels.reshape(-1, 3).tolist()} == {DARK, WHITE}


def test_squares_of_the_longest_codes_fit_the_width():
    pixels = squares(np.zeros(4_096, int), np.ones(4_096, bool), 150)
    assert pixels.shape == (64 * 2, 150, 3)
    assert (pixels[:, : 64 * 2] == GREEN).all()


def test_the_first_square_of_two_is_the_left_one():
    pixels = squares(np.array([7, 8]), np.array([True, False]), 100)
    assert tuple(pixels[0, 0]) == GREEN
    assert tuple(pixels[0, 60]) == LIGHT
