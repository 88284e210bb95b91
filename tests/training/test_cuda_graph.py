"""Steps that are undone; the recording itself is tested with the steps of training."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import nn

from dimco.training.cuda_graph import undone

OPTIMIZERS = {
    "sgd": lambda weights: torch.optim.SGD(weights, lr=0.1, momentum=0.9, nesterov=True),
    "adam": lambda weights: torch.optim.Adam(weights, lr=0.1),
}


def step(network, optimizer, generator):
    optimizer.zero_grad()
    x = torch.rand(4, 3, generator=generator) + torch.rand(1)
    (network(x) ** 2).sum().backward()
    optimizer.step()


@pytest.mark.parametrize("before", [0, 2])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_steps_that_are_undone_leave_no_trace(name, before):
    """Whether the optimizer had taken steps before or not."""
    network = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2))
    optimizer, generator = OPTIMIZERS[name](network.parameters()), torch.Generator().manual_seed(3)
    for _ in range(before):
        step(network, optimizer, generator)
    other = copy.deepcopy(network)
    other_optimizer = OPTIMIZERS[name](other.parameters())
    other_optimizer.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    other_generator = torch.Generator()
    other_generator.set_state(generator.get_state())
    drawn = torch.get_rng_state()
    places = [tensor.data_ptr() for tensor in network.state_dict().values()]

    with undone([network], optimizer, generator):
        for _ in range(3):
            step(network, optimizer, generator)

    assert torch.equal(torch.get_rng_state(), drawn)
    assert [tensor.data_ptr() for tensor in network.state_dict().values()] == places
    for pair in ((network, optimizer, generator), (other, other_optimizer, other_generator)):
        torch.set_rng_state(drawn)
        for _ in range(3):
            step(*pair)
    for name_in_state, tensor in network.state_dict().items():
        assert torch.equal(other.state_dict()[name_in_state], tensor), name_in_state
