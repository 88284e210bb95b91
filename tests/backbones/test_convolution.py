"""The convolution of residual networks."""

from __future__ import annotations

import pytest
import torch

from dimco.backbones.convolution import convolution


@pytest.mark.parametrize("kernel", [1, 3, 7])
def test_it_keeps_the_size_at_stride_1_and_halves_it_at_stride_2(kernel):
    images = torch.rand(1, 3, 32, 32)
    assert convolution(3, 8, kernel)(images).shape == (1, 8, 32, 32)
    assert convolution(3, 8, kernel, 2)(images).shape == (1, 8, 16, 16)


def test_initial_weights_have_the_variance_of_the_paper():
    layer = convolution(64, 128, 3)
    assert layer.bias is None
    assert float(layer.weight.detach().var()) == pytest.approx(2 / (128 * 9), rel=0.02)
