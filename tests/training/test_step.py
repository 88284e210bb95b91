"""A step of training."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from dimco.training.step import Step


class Parts(NamedTuple):
    total: Tensor
    distance: Tensor


def objective(output, labels, generator):
    distance = ((output[:, 0] - labels) ** 2).mean()
    return Parts(2 * distance, distance)


def test_it_gives_the_parts_before_the_move_and_moves_the_weights_down_the_gradient():
    model, x, labels = nn.Linear(2, 1), torch.rand(5, 2), torch.arange(5)
    weight = model.weight.detach().clone()
    residuals = (model(x)[:, 0] - labels).detach()
    step = Step(model, objective, torch.optim.SGD(model.parameters(), lr=0.1), mixed_precision=False)
    parts = step(x, labels, torch.Generator())
    assert float(parts["distance"]) == float((residuals**2).mean())
    assert float(parts["total"]) == 2 * float(parts["distance"])
    assert not parts["total"].requires_grad
    torch.testing.assert_close(model.weight.detach(), weight - 0.1 * 4 / 5 * residuals @ x)


def test_gradients_do_not_pile_up_from_step_to_step():
    model, x, labels = nn.Linear(2, 1), torch.rand(5, 2), torch.arange(5)
    step = Step(model, objective, torch.optim.SGD(model.parameters(), lr=0.0), mixed_precision=False)
    step(x, labels, torch.Generator())
    first = model.weight.grad.clone()
    step(x, labels, torch.Generator())
    assert torch.equal(model.weight.grad, first)


def test_outputs_are_float32():
    step = Step(nn.Linear(2, 1).bfloat16(), objective, None, mixed_precision=False)
    assert step.output(torch.rand(3, 2).bfloat16()).dtype == torch.float32


def test_a_compiled_model_is_used_in_training_alone(monkeypatch):
    model, asked = nn.Linear(2, 1), []

    def compiled(module, **options):
        return lambda x: asked.append(options) or 2 * module(x)

    monkeypatch.setattr(torch, "compile", compiled)
    step, x = Step(model, objective, None, mixed_precision=False, compiled=True), torch.rand(3, 2)
    torch.testing.assert_close(step.output(x), 2 * model(x))
    model.eval()
    torch.testing.assert_close(step.output(x), model(x))
    assert asked == [{"dynamic": False}]
