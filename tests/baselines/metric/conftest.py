"""Batches of embeddings, and a way to compare two losses in value and gradient."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor


@pytest.fixture
def batch() -> tuple[Tensor, Tensor]:
    """24 embeddings of 5 numbers, of 4 classes with 6 items each in no order; float64."""
    labels = torch.arange(4).repeat(6)[torch.randperm(24)]
    centres = torch.randn(4, 5, dtype=torch.float64)
    return centres[labels] + 0.7 * torch.randn(24, 5, dtype=torch.float64), labels


@pytest.fixture
def unbalanced() -> tuple[Tensor, Tensor]:
    """9 embeddings of 4 classes, of which one has a single item; float64."""
    return torch.randn(9, 5, dtype=torch.float64), torch.tensor([0, 0, 2, 2, 2, 5, 3, 3, 0])


@pytest.fixture
def assert_same_loss() -> Callable[..., None]:
    """Two functions of embeddings have the same value and the same gradient."""

    def check(ours: Callable[[Tensor], Tensor], theirs: Callable[[Tensor], Tensor], embeddings: Tensor) -> None:
        results = []
        for loss in (ours, theirs):
            point = embeddings.clone().requires_grad_()
            value = loss(point)
            value.backward()
            results.append((value.detach(), point.grad))
        torch.testing.assert_close(results[0][0], results[1][0])
        torch.testing.assert_close(results[0][1], results[1][1])

    return check
