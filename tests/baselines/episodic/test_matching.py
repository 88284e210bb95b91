"""Matching networks against a loop."""

import math

import pytest
import torch

from dimco.baselines.episodic import MatchingNet
from dimco.errors import InputError


@pytest.mark.parametrize("scale", [1.0, 10.0])
def test_a_class_has_the_share_of_attention_that_its_items_get(scale):
    support, query = torch.randn(2, 5, 3), torch.randn(2, 4, 3)
    labels = [1, 0, 1, 0, 0]
    scores = MatchingNet(1, scale=scale).scores(support, torch.tensor(labels), query, 2)
    for task in range(2):
        for asked in range(4):
            shares = [0.0, 0.0]
            for item, way in zip(support[task], labels, strict=True):
                cosine = item @ query[task, asked] / (item.norm() * query[task, asked].norm())
                shares[way] += math.exp(scale * float(cosine))
            expected = [math.log(share / sum(shares)) for share in shares]
            assert scores[task, asked].tolist() == pytest.approx(expected, abs=1e-5)


def test_the_scale_is_trained_unless_it_is_the_paper_s():
    labels = torch.arange(2).repeat(3)
    for learned in (False, True):
        learner = MatchingNet(1, learned=learned)
        learner(torch.randn(6, 3, requires_grad=True), labels).total.backward()
        assert (learner.log_scale.grad is not None) == learned


def test_wrong_settings_are_named():
    with pytest.raises(InputError, match="scale above 0; got -1"):
        MatchingNet(scale=-1)
