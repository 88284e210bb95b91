"""Conv4."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional as F  # noqa: N812

from dimco.backbones import Conv4, backbone_name, build_backbone
from dimco.backbones.preprocessing import Preprocessing
from dimco.errors import InputError


@pytest.mark.parametrize(("size", "width"), [(84, 1_600), (32, 256), (16, 64)])
def test_features_are_the_flattened_maps_after_four_halvings(size, width):
    network = Conv4(size)
    assert network(torch.rand(2, 3, size, size)).shape == (2, width)
    assert network.out_features == width


def test_it_has_four_convolutions_of_64_without_bias_and_their_batch_norms():
    names = [name for name, _ in Conv4().named_parameters()]
    assert sum(values.numel() for values in Conv4().parameters()) == 27 * 64 + 3 * 9 * 64 * 64 + 4 * 2 * 64
    assert sum(name.endswith("bias") for name in names) == 4


def test_a_block_is_convolution_batch_norm_relu_and_max_pool(lived_in):
    network = lived_in(Conv4(16))
    images = expected = torch.rand(3, 3, 16, 16)
    for block in network.blocks:
        weights = F.conv2d(expected, block[0].weight, padding=1)
        norm = block[1]
        mean, variance, scale, shift = (
            values.view(1, -1, 1, 1) for values in (norm.running_mean, norm.running_var, norm.weight, norm.bias)
        )
        active = ((weights - mean) / (variance + 1e-5).sqrt() * scale + shift).clamp(min=0)
        expected = torch.stack([active[:, :, y::2, x::2] for y in (0, 1) for x in (0, 1)]).amax(0)
    torch.testing.assert_close(network(images), expected.flatten(1), rtol=1e-4, atol=1e-5)


def test_it_takes_pixels_when_it_has_a_preprocessing(lived_in):
    network = lived_in(Conv4(16, Preprocessing(16, 16, 255.0, (100.0, 120.0, 140.0), (50.0, 60.0, 70.0))))
    plain = Conv4(16).eval()
    plain.load_state_dict(network.state_dict())
    pixels = torch.randint(0, 256, (2, 3, 16, 16)).float()
    centred = (pixels - torch.tensor([100.0, 120, 140])[:, None, None]) / torch.tensor([50.0, 60, 70])[:, None, None]
    torch.testing.assert_close(network(pixels), plain(centred), rtol=1e-4, atol=1e-5)


def test_the_memory_layout_of_the_channels_does_not_change_the_features(lived_in):
    network, images = lived_in(Conv4(32)), torch.rand(2, 3, 32, 32)
    expected = network(images)
    network.to(memory_format=torch.channels_last)
    torch.testing.assert_close(network(images.to(memory_format=torch.channels_last)), expected)


def test_it_is_built_again_from_its_name_and_record():
    network = Conv4(32, Preprocessing(32, 32, 255.0, (1.0, 2.0, 3.0)))
    assert backbone_name(network) == "conv4"
    again = build_backbone("conv4", **network.config)
    again.load_state_dict(network.state_dict())
    assert again.config == network.config


@pytest.mark.parametrize("shape", [(2, 3, 84, 83), (2, 1, 84, 84), (3, 84, 84)])
def test_images_of_another_shape_are_refused(shape):
    with pytest.raises(InputError, match=r"images of shape \(N, 3, 84, 84\); got shape"):
        Conv4(84)(torch.rand(shape))
