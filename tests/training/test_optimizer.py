"""The optimizers, against their update rules written out."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from dimco.training import TrainingConfig
from dimco.training.optimizer import build_optimizer, set_learning_rate


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone, self.head = nn.Linear(2, 2, bias=False), nn.Linear(2, 1, bias=False)

    def forward(self, x):
        return self.head(self.backbone(x).relu())


def run(config, rates):
    """Steps of the optimizer; the weights after them, and the gradients of each step."""
    model = Model()
    start = [weight.detach().clone() for weight in model.parameters()]
    optimizer, gradients = build_optimizer(model, nn.Identity(), model.backbone, config), []
    for number, rate in enumerate(rates):
        set_learning_rate(optimizer, rate)
        optimizer.zero_grad()
        (model(torch.tensor([[1.0 + number, 2.0], [-1.0, 3.0]])) ** 2).sum().backward()
        gradients.append([weight.grad.clone() for weight in model.parameters()])
        optimizer.step()
    return start, gradients, [weight.detach() for weight in model.parameters()]


@pytest.mark.parametrize("share", [1.0, 0.1, 0.0])
@pytest.mark.parametrize("momentum", [0.0, 0.9])
def test_sgd_is_nesterovs_with_weight_decay_and_the_backbones_share(share, momentum):
    config = TrainingConfig(optimizer="sgd", weight_decay=0.05, backbone_lr=share, momentum=momentum)
    rates = [0.01, 0.02, 0.005]
    weights, gradients, found = run(config, rates)
    buffers = [torch.zeros_like(weight) for weight in weights]
    for rate, of_step in zip(rates, gradients, strict=True):
        for i, (factor, gradient) in enumerate(zip((share, 1.0), of_step, strict=True)):
            full = gradient + 0.05 * weights[i]
            buffers[i] = momentum * buffers[i] + full
            weights[i] = weights[i] - rate * factor * (full + momentum * buffers[i])
    for expected, weight in zip(weights, found, strict=True):
        torch.testing.assert_close(weight, expected)


@pytest.mark.parametrize("share", [1.0, 0.5])
def test_adam_takes_the_rate_and_the_backbones_share(share):
    config, rates = TrainingConfig(backbone_lr=share), [0.01, 0.03]
    weights, gradients, found = run(config, rates)
    first, second = ([torch.zeros_like(weight) for weight in weights] for _ in range(2))
    for number, (rate, of_step) in enumerate(zip(rates, gradients, strict=True), start=1):
        for i, (factor, gradient) in enumerate(zip((share, 1.0), of_step, strict=True)):
            first[i] = 0.9 * first[i] + 0.1 * gradient
            second[i] = 0.999 * second[i] + 0.001 * gradient**2
            scaled = first[i] / (1 - 0.9**number) / ((second[i] / (1 - 0.999**number)).sqrt() + 1e-8)
            weights[i] = weights[i] - rate * factor * scaled
    for expected, weight in zip(weights, found, strict=True):
        torch.testing.assert_close(weight, expected)


def test_rates_that_are_tensors_are_changed_in_place():
    model = Model()
    config = TrainingConfig(optimizer="sgd", backbone_lr=0.5, captured=True)
    optimizer = build_optimizer(model, nn.Identity(), model.backbone, config)
    before = [group["lr"] for group in optimizer.param_groups]
    set_learning_rate(optimizer, torch.tensor(0.25))
    assert [group["lr"] is rate for group, rate in zip(optimizer.param_groups, before, strict=True)] == [True, True]
    assert [float(rate) for rate in before] == [0.125, 0.25]


@pytest.mark.parametrize("backbone", [1.0, 0.5])
def test_an_objective_with_a_factor_takes_that_many_times_the_rate(backbone):
    model, objective = Model(), nn.Linear(2, 2)
    objective.lr_factor = 100.0
    optimizer = build_optimizer(model, objective, model.backbone, TrainingConfig(lr=0.01, backbone_lr=backbone))
    set_learning_rate(optimizer, 0.002)
    rates = {id(weight): group["lr"] for group in optimizer.param_groups for weight in group["params"]}
    assert len(rates) == 4
    assert rates[id(model.head.weight)] == 0.002
    assert rates[id(model.backbone.weight)] == 0.002 * backbone
    assert rates[id(objective.weight)] == rates[id(objective.bias)] == 0.2


def test_weights_that_are_tied_are_moved_once():
    model = Model()
    model.head = model.backbone
    optimizer = build_optimizer(model, model.backbone, model.backbone, TrainingConfig())
    assert [len(group["params"]) for group in optimizer.param_groups] == [1]
