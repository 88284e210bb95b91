"""Bits against accuracy, beside a vote counted in a loop."""

from __future__ import annotations

import numpy as np
import torch

from dimco.web.curve import accuracy_by_bits, accuracy_by_positions


def slow_accuracy(tables, truth, symbols, labels, chosen, neighbours):
    """Ties at the last place share the votes left; of equal classes the smaller one wins."""
    right = 0
    for table, label in zip(tables, truth, strict=True):
        scores = [sum(float(table[i, row[i]]) for i in chosen) for row in symbols]
        last = sorted(scores, reverse=True)[neighbours - 1]
        above = [place for place, score in enumerate(scores) if score > last + 1e-6]
        tied = [place for place, score in enumerate(scores) if abs(score - last) <= 1e-6]
        votes = np.zeros(labels.max() + 1)
        np.add.at(votes, labels[above], 1)
        np.add.at(votes, labels[tied], (neighbours - len(above)) / len(tied))
        right += int(votes.round(9).argmax() == label)
    return right / len(truth)


def test_points_are_those_of_a_loop():
    rng = np.random.default_rng(0)
    tables = torch.from_numpy(rng.dirichlet(np.ones(4), (12, 3))).log()
    symbols, labels = rng.integers(0, 4, (30, 3)), rng.integers(0, 3, 30)
    truth = rng.integers(0, 3, 12)
    points = accuracy_by_positions(tables, truth, symbols, labels, [2, 0, 1], [1, 2, 3], 5)
    expected = [slow_accuracy(tables, truth, symbols, labels, [2, 0, 1][:count], 5) for count in (1, 2, 3)]
    assert [point.positions for point in points] == [1, 2, 3]
    np.testing.assert_allclose([point.accuracy for point in points], expected)


def test_the_most_telling_positions_come_first(with_pictures):
    curve = accuracy_by_bits(with_pictures)
    information = with_pictures.codebook.position_information()
    assert information[curve.order].tolist() == sorted(information, reverse=True)
    assert (curve.asked, curve.stored) == (29, 59)
    assert accuracy_by_bits(with_pictures) == curve


def test_there_is_no_curve_without_labels(codes_alone):
    assert accuracy_by_bits(codes_alone) is None
