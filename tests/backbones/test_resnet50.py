"""ResNet-50: its two variants against a plain functional writing of the network."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from torch.nn import functional

from dimco.backbones import ResNet50, build_backbone
from dimco.backbones.pretrained import PRETRAINED, load_pretrained
from dimco.errors import InputError


def _by_hand(state, x, stride_on, eps):
    """The network read off its state dict, one call a layer."""

    def conv(x, name, norm, stride=1):
        weight = state[f"{name}.weight"]
        x = functional.conv2d(x, weight, stride=stride, padding=weight.shape[-1] // 2)
        mean, var, scale, shift = (
            state[f"{norm}.{part}"].view(-1, 1, 1) for part in ("running_mean", "running_var", "weight", "bias")
        )
        return (x - mean) / (var + eps).sqrt() * scale + shift

    x = functional.max_pool2d(conv(x, "conv1", "bn1", 2).clamp(min=0), 3, 2, 1)
    for stage, depth in ((1, 3), (2, 4), (3, 6), (4, 3)):
        for place in range(depth):
            at = f"layer{stage}.{place}"
            stride = 2 if stage > 1 and place == 0 else 1
            first, second = (stride, 1) if stride_on == "1x1" else (1, stride)
            inner = conv(x, f"{at}.conv1", f"{at}.bn1", first).clamp(min=0)
            inner = conv(inner, f"{at}.conv2", f"{at}.bn2", second).clamp(min=0)
            inner = conv(inner, f"{at}.conv3", f"{at}.bn3")
            x = conv(x, f"{at}.downsample.0", f"{at}.downsample.1", stride) if place == 0 else x
            x = (x + inner).clamp(min=0)
    return x.mean((2, 3))


@pytest.fixture
def network(lived_in):
    return lived_in(ResNet50())


@pytest.mark.parametrize(("stride_on", "eps"), [("1x1", 1e-3), ("3x3", 1e-5)])
def test_both_variants_are_the_network_written_by_hand(network, stride_on, eps):
    variant = ResNet50(stride_on, eps).eval()
    variant.load_state_dict(network.state_dict())
    x = torch.randn(2, 3, 64, 96)
    with torch.inference_mode():
        found, expected = variant(x), _by_hand(network.state_dict(), x, stride_on, eps)
    torch.testing.assert_close(found, expected, rtol=1e-3, atol=1e-3 * float(expected.abs().max()))


def test_the_variants_have_the_same_weights_and_differ_from_the_second_stage_on(network):
    published = ResNet50("1x1").eval()
    published.load_state_dict(network.state_dict())
    x = torch.randn(1, 64, 16, 16)
    with torch.inference_mode():
        first, published_first = network.layer1(x), published.layer1(x)
        torch.testing.assert_close(first, published_first, rtol=0, atol=0)
        second, published_second = network.layer2(first), published.layer2(first)
    assert second.shape == published_second.shape
    assert not torch.allclose(second, published_second, rtol=0.1)


def test_frozen_normalisation_in_training_computes_the_same_and_has_the_same_gradients(network):
    network = network.requires_grad_().double()
    x = torch.randn(2, 3, 64, 64).double()
    with torch.no_grad():
        plain = network(x)
    features = network(x)
    torch.testing.assert_close(features, plain)
    features.square().sum().backward()
    weights = {name: values.detach().clone().requires_grad_() for name, values in network.named_parameters()}
    _by_hand({**dict(network.named_buffers()), **weights}, x, "3x3", 1e-5).square().sum().backward()
    for name, values in network.named_parameters():
        expected = weights[name].grad
        torch.testing.assert_close(values.grad, expected, rtol=1e-6, atol=1e-8 * float(expected.abs().max()))


def test_mean_and_maximum_of_the_last_maps_can_be_added(network):
    both = ResNet50(pooling="mean+max").eval()
    both.load_state_dict(network.state_dict())
    last = []
    both.layer4.register_forward_hook(lambda module, inputs, maps: last.append(maps))
    with torch.inference_mode():
        features = both(torch.randn(2, 3, 64, 96))
    maps = last[0].flatten(2).double()
    torch.testing.assert_close(features.double(), maps.mean(2) + maps.max(2).values, rtol=1e-4, atol=1e-5)
    with pytest.raises(InputError, match=r"expected pooling mean or mean\+max; got 'max'"):
        ResNet50(pooling="max")


def test_it_has_the_parameters_of_the_paper_and_builds_again_from_its_config(network):
    assert sum(values.numel() for values in network.parameters()) == 23_508_032
    kind = PRETRAINED["resnet50-v1"]
    config = ResNet50(preprocessing=kind.preprocessing, **kind.options).config
    assert build_backbone("resnet50", **config).config == config
    assert (config["stride_on"], config["eps"]) == ("1x1", 1e-3)


def test_another_place_for_the_stride_is_refused():
    with pytest.raises(InputError, match="expected the stride on 1x1 or 3x3; got '5x5'"):
        ResNet50("5x5")


def test_the_published_weights_recognise_a_photograph(data):
    """Matplotlib's portrait of Grace Hopper is class 652 of ImageNet, a military uniform, as published alone."""
    pillow, cbook = pytest.importorskip("PIL.Image"), pytest.importorskip("matplotlib.cbook")
    weights = data / "weights" / "resnet50_imagenet_v1.safetensors"
    network = load_pretrained("resnet50-v1", weights)
    with pillow.open(cbook.get_sample_data("grace_hopper.jpg", asfileobj=False)) as photograph:
        pixels = torch.from_numpy(np.array(network.pixels.preprocessing.cut(photograph.convert("RGB"))))
    pixels = pixels.permute(2, 0, 1)[None].float()
    state = load_file(weights)
    variant = ResNet50("3x3", 1e-3, network.pixels.preprocessing).eval()
    variant.load_state_dict(network.state_dict())

    def top(features):
        logits = features @ state["fc.weight"].float().T + state["fc.bias"].float()
        return int(logits.argmax())

    with torch.inference_mode():
        assert top(network(pixels)) == 652
        assert top(network(pixels.flip(1))) != 652
        assert top(variant(pixels)) != 652
