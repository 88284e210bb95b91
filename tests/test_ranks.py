"""A batch spread over ranks has the loss and the gradients of the whole batch on one."""

import copy

import pytest
import torch

from dimco.objectives import ClassInfomax, DecoderInfomax, Infomax
from dimco.ranks import ALONE
from dimco.spec import CodeSpec

from .ranks_of_threads import on_threads

K, D, CLASSES = 3, 4, 5
PARTS = [(6, 6), (1, 11), (7, 2, 3), (5, 1, 4, 2)]
OBJECTIVES = {
    "no independence": Infomax(independence=0.0),
    "mean": Infomax(0.7, reduction="mean"),
    "position": Infomax(0.7, reduction="position", direction="product"),
    "sum": Infomax(0.7, reduction="sum", direction="both"),
    "drawn pairs": Infomax(0.7, pairs=2),
    "groups": Infomax(0.7, group=2),
    "groups with positions left over": Infomax(0.7, group=3, pairs=1),
    "whole codeword": Infomax(group=D),
    "decoder": DecoderInfomax(CodeSpec(K, D), CLASSES, prior=[3, 1, 2, 1, 1]),
    "smoothed decoder": DecoderInfomax(CodeSpec(K, D), CLASSES, label_smoothing=0.1),
    "class scores": ClassInfomax(CLASSES, label_smoothing=0.1),
}


def batch(objective, items, rng):
    shape = (1, CLASSES) if isinstance(objective, ClassInfomax) else (D, K)
    logits = torch.from_numpy(rng.normal(size=(items, *shape)) * 2).float().requires_grad_()
    labels = torch.from_numpy(rng.integers(0, CLASSES, items)).sort().values
    return logits, labels


def on_ranks(objective, parts):
    """What each rank makes of its part; parameters are shared, as threads share one graph."""

    def work(rank, ranks):
        mine = copy.copy(objective)
        mine.ranks = ranks
        return mine(*parts[rank], torch.Generator().manual_seed(3))

    return on_threads(len(parts), work)


@pytest.mark.parametrize("sizes", PARTS, ids=str)
@pytest.mark.parametrize("name", OBJECTIVES)
def test_uneven_parts_on_ranks_give_the_loss_and_gradients_of_the_whole_batch(name, sizes, rng):
    objective = OBJECTIVES[name]
    logits, labels = batch(objective, sum(sizes), rng)
    inputs = [logits, *objective.parameters()]
    whole = objective(logits, labels, torch.Generator().manual_seed(3))
    expected = torch.autograd.grad(whole.total, inputs)
    parts = list(zip(logits.split(sizes), labels.split(sizes), strict=True))
    for output in on_ranks(objective, parts):
        for field, value in whole._asdict().items():
            torch.testing.assert_close(getattr(output, field), value, msg=f"{field} of {name}")
        found = torch.autograd.grad(output.total, inputs, retain_graph=True)
        torch.testing.assert_close(found, expected)


def test_classes_that_some_ranks_lack_count_once(rng):
    logits, _ = batch(OBJECTIVES["mean"], 6, rng)
    labels = torch.tensor([0, 0, 9, 9, 9, -4])
    whole = OBJECTIVES["mean"](logits, labels)
    parts = [(logits[:2], labels[:2]), (logits[2:], labels[2:])]
    for output in on_ranks(OBJECTIVES["mean"], parts):
        torch.testing.assert_close(output.information, whole.information)


def test_one_process_leaves_every_statistic_as_it_is():
    values = torch.tensor([1.5, 2.5])
    assert ALONE.sum(values) is values
    assert ALONE.mean(values, 7) is values
    assert ALONE.classes(torch.tensor([4, -1, 4])).tolist() == [-1, 4]


def test_objectives_are_alone_until_the_loop_gives_them_ranks():
    assert all(objective.ranks is ALONE for objective in OBJECTIVES.values())
