"""Groups of tied items against a list written down by hand."""

import torch

from dimco.retrieval.ties import tie_groups

SCORES = torch.tensor([[1.0, 3.0, 1.0, 0.0, 1.0, 2.0]])
RIGHT = torch.tensor([[True, False, False, True, True, True]])


def test_groups_count_what_stands_before_a_place_and_what_shares_it():
    groups = tie_groups(SCORES, RIGHT, places=6)
    assert groups.before.tolist() == [[0, 1, 2, 2, 2, 5]]
    assert groups.size.tolist() == [[1, 1, 3, 3, 3, 1]]
    assert groups.right_before.tolist() == [[0, 0, 1, 1, 1, 3]]
    assert groups.right.tolist() == [[0, 1, 2, 2, 2, 1]]
    assert groups.slot().tolist() == [[1, 1, 1, 2, 3, 1]]


def test_the_first_places_alone_still_know_their_whole_groups():
    groups = tie_groups(SCORES, RIGHT, places=3)
    assert groups.size.tolist() == [[1, 1, 3]]
    assert groups.right.tolist() == [[0, 1, 2]]
