"""ResNet-20 of CIFAR: its shape, and the stored embeddings of the images it was made for."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from dimco import CodeModel, CodeSpec, LinearHead
from dimco.backbones import ResNet20
from dimco.backbones.preprocessing import Preprocessing
from dimco.backbones.pretrained import load_pretrained
from dimco.errors import InputError

CENTRED = Preprocessing(32, 32, 255.0, (120.0, 121.0, 122.0), (60.0, 61.0, 62.0))


def test_it_has_the_parameters_of_the_paper_and_two_shortcuts():
    network = ResNet20()
    blocks = sum(9 * (a * b + b * b) + 4 * b for a, b in [*[(16, 16)] * 3, (16, 32), *[(32, 32)] * 2, (32, 64)])
    blocks += 2 * (9 * 2 * 64 * 64 + 4 * 64)
    shortcuts = 16 * 32 + 2 * 32 + 32 * 64 + 2 * 64
    assert sum(values.numel() for values in network.parameters()) == 27 * 16 + 2 * 16 + blocks + shortcuts
    assert network(torch.rand(2, 3, 32, 32)).shape == (2, network.out_features)


def test_two_blocks_halve_the_image():
    maps, sizes = torch.rand(1, 16, 32, 32), []
    for block in ResNet20().blocks:
        maps = block(maps)
        sizes.append(maps.shape[-1])
    assert sizes == [32] * 3 + [16] * 3 + [8] * 3


def test_the_stored_embeddings_and_accuracy_come_out(data):
    weights = data / "weights" / "cifar100_resnet20.safetensors"
    some = np.random.default_rng(0).choice(10_000, 256, replace=False)
    with np.load(data / "images" / "cifar100_test.npz") as images:
        pixels, labels = images["x"][some], images["y"][some]
    with np.load(data / "embeddings" / "cifar100_resnet20_test.npz") as stored:
        expected = torch.from_numpy(stored["x"][some].astype(np.float32))
    with torch.inference_mode():
        found = load_pretrained("resnet20-cifar100", weights)(torch.from_numpy(pixels).permute(0, 3, 1, 2).float())
    assert (found - expected).abs().max() < 0.03
    assert torch.cosine_similarity(found, expected).min() > 0.9999
    state = load_file(weights)
    weight, bias = state["fc.weight"].float(), state["fc.bias"].float()
    predicted, as_stored = ((features @ weight.T + bias).argmax(1) for features in (found, expected))
    assert (predicted == as_stored).float().mean() > 0.98
    assert 60 < 100 * (predicted.numpy() == labels).mean() < 73  # 66.71 over all; two deviations of 256


def test_a_model_of_it_is_saved_and_loaded_by_name(tmp_path, lived_in):
    model = CodeModel(lived_in(ResNet20(CENTRED)), LinearHead(64, CodeSpec(k=4, d=3)))
    model.save(tmp_path / "model")
    loaded = CodeModel.load(tmp_path / "model")
    assert type(loaded.backbone) is ResNet20
    assert loaded.backbone.pixels.preprocessing == CENTRED
    pixels = np.random.default_rng(0).integers(0, 256, (5, 3, 32, 32), dtype=np.uint8)
    torch.testing.assert_close(loaded.log_probs(pixels), model.log_probs(pixels), rtol=0, atol=0)
    assert loaded.encode(pixels) == model.encode(pixels)


def test_images_of_another_layout_are_refused():
    with pytest.raises(InputError, match=r"images of shape \(N, 3, height, width\); got shape \(2, 32, 32, 3\)"):
        ResNet20()(torch.rand(2, 32, 32, 3))
