"""Outputs of a network, a batch at a time."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from dimco.errors import InputError
from dimco.inference import batch_outputs

CPU = torch.device("cpu")


def test_every_row_passes_once_in_order_and_without_gradients(rng):
    layer, x = nn.Linear(3, 2), rng.normal(size=(7, 3)).astype(np.float32)
    parts = list(batch_outputs(layer, x, 3, CPU))
    assert [len(part) for part in parts] == [3, 3, 1]
    torch.testing.assert_close(torch.cat(parts), layer(torch.from_numpy(x)))
    assert not any(part.requires_grad for part in parts)


def test_modes_are_what_they_were_even_after_an_error():
    network = nn.Sequential(nn.Dropout(0.9), nn.BatchNorm1d(3), nn.Linear(3, 2)).train()
    network[1].eval()
    x = torch.rand(4, 3)
    first, second = (torch.cat(list(batch_outputs(network, x, 2, CPU))) for _ in range(2))
    assert torch.equal(first, second)
    with pytest.raises(InputError, match="row 3 holds NaN"):
        list(batch_outputs(network, torch.cat([x[:3], x[:1] * torch.nan]), 2, CPU))
    assert [module.training for module in network] == [True, False, True]


def test_rows_of_another_width_are_refused():
    with pytest.raises(InputError, match="expected 3 features, as in training; got 4"):
        list(batch_outputs(nn.Linear(3, 2), np.zeros((2, 4)), 2, CPU, features=3))
