"""ResNet-12."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch.nn import functional as F  # noqa: N812

from dimco.backbones import ResNet12, backbone_name, build_backbone
from dimco.backbones.drop_block import DropBlock
from dimco.errors import InputError


def test_it_has_the_weights_of_three_convolutions_and_a_shortcut_a_block():
    widths = [(3, 64), (64, 160), (160, 320), (320, 640)]
    expected = sum(9 * a * b + 2 * 9 * b * b + a * b + 4 * 2 * b for a, b in widths)
    assert sum(values.numel() for values in ResNet12().parameters()) == expected == 12_424_320


@pytest.mark.parametrize(
    ("size", "pooled", "width"), [(32, True, 640), (32, False, 2_560), (84, True, 640), (84, False, 16_000)]
)
def test_features_are_the_means_of_the_last_maps_or_the_maps(size, pooled, width):
    network = ResNet12(size, pooled)
    assert network.out_features == width
    with torch.inference_mode():
        assert network.eval()(torch.rand(1, 3, size, size)).shape == (1, width)


def test_two_blocks_end_in_dropout_and_two_in_drop_block():
    drops = [block.drop for block in ResNet12(84).blocks]
    assert [type(drop) for drop in drops] == [nn.Dropout, nn.Dropout, DropBlock, DropBlock]
    assert [drop.p for drop in drops[:2]] == [0.1, 0.1]
    assert [(drop.rate, drop.block, drop.ramp) for drop in drops[2:]] == [(0.1, 5, 40_000)] * 2
    assert [block.drop.block for block in list(ResNet12(32).blocks)[2:]] == [2, 2]
    assert [block.drop.block for block in list(ResNet12(32, drop_block=3).blocks)[2:]] == [3, 3]


def test_a_block_is_a_residual_of_three_convolutions_then_a_max_pool(lived_in):
    block = lived_in(ResNet12(16)).blocks[1]
    maps = torch.rand(2, 64, 8, 8)
    inner = maps
    for convolution, norm in ((block.conv1, block.norm1), (block.conv2, block.norm2)):
        inner = norm(F.conv2d(inner, convolution.weight, padding=1))
        inner = torch.where(inner > 0, inner, 0.1 * inner)
    inner = block.norm3(F.conv2d(inner, block.conv3.weight, padding=1))
    inner = inner + block.shortcut[1](F.conv2d(maps, block.shortcut[0].weight))
    inner = torch.where(inner > 0, inner, 0.1 * inner)
    expected = torch.stack([inner[:, :, y::2, x::2] for y in (0, 1) for x in (0, 1)]).amax(0)
    torch.testing.assert_close(block(maps), expected, rtol=1e-4, atol=1e-4)


def test_training_drops_and_evaluation_does_not():
    network, images = ResNet12(16), torch.rand(2, 3, 16, 16)
    assert not torch.equal(network(images), network(images))
    network.eval()
    assert torch.equal(network(images), network(images))


def test_it_is_built_again_from_its_name_and_record():
    network = ResNet12(32, pooled=False, drop_block=1, dropout=0.2)
    assert backbone_name(network) == "resnet12"
    again = build_backbone("resnet12", **network.config)
    again.load_state_dict(network.state_dict())
    assert again.config == network.config


def test_impossible_settings_are_refused():
    with pytest.raises(InputError, match="dropout from 0 to below 1; got 1"):
        ResNet12(84, dropout=1)
    with pytest.raises(InputError, match=r"images of shape \(N, 3, 32, 32\)"):
        ResNet12(32)(torch.rand(1, 3, 84, 84))
