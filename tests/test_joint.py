"""Class means of joint symbols, against those of the joint symbols made item by item."""

from __future__ import annotations

import itertools

import pytest
import torch

from dimco import joint
from dimco.information import class_means, joint_symbols
from dimco.joint import joint_class_means


def case(n, d, k, labels, seed=0):
    torch.manual_seed(seed)
    logits = torch.randn(n, d, k, dtype=torch.float64, requires_grad=True)
    return logits, torch.as_tensor(labels)


@pytest.mark.parametrize(("d", "k", "size"), [(4, 2, 2), (5, 3, 2), (6, 2, 3), (4, 3, 4), (9, 2, 8)])
def test_means_are_sums_over_items_of_products_of_probabilities(d, k, size):
    logits, labels = case(12, d, k, [5, 2, 2, 9, 5, 5, 2, 9, 2, 5, 2, 2])
    groups = torch.randperm(d)[: d // size * size].view(-1, size)
    p = logits.softmax(-1)
    means, weights = joint_class_means(p, groups, labels)
    assert weights.tolist() == pytest.approx([6 / 12, 4 / 12, 2 / 12])
    for c, label in enumerate((2, 5, 9)):
        members = [row for row, own in zip(p.tolist(), labels.tolist(), strict=True) if own == label]
        for g, positions in enumerate(groups.tolist()):
            for place, symbols in enumerate(itertools.product(range(k), repeat=size)):
                total = 0.0
                for row in members:
                    product = 1.0
                    for position, symbol in zip(positions, symbols, strict=True):
                        product *= row[position][symbol]
                    total += product
                assert means[c, g, place].item() == pytest.approx(total / len(members))


@pytest.mark.parametrize("labels", [[0] * 9 + [1], list(range(10)), [0, 1] * 5, [3] * 10])
@pytest.mark.parametrize("padding", [0, 1, 4, 100])
def test_any_mix_of_classes_gives_the_means_and_gradients_of_the_items_own(monkeypatch, labels, padding):
    monkeypatch.setattr(joint, "_MOST_PADDING", padding)
    logits, labels = case(10, 6, 3, labels)
    groups = torch.tensor([[4, 0, 2], [1, 5, 3]])
    found, expected = [], []
    for out, taken in (
        (found, lambda p: joint_class_means(p, groups, labels)),
        (expected, lambda p: class_means(joint_symbols(p, groups), labels)),
    ):
        means, weights = taken(logits.softmax(-1))
        out += [means, weights, *torch.autograd.grad((means * means.detach().cos()).sum(), logits)]
    for ours, theirs in zip(found, expected, strict=True):
        torch.testing.assert_close(ours, theirs)
