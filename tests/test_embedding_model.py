"""EmbeddingModel."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from dimco.backbones import Conv4
from dimco.embedding_model import EmbeddingModel
from dimco.errors import FileError, InputError


def test_without_a_width_the_features_are_the_embeddings():
    model, images = EmbeddingModel(Conv4(16)).eval(), torch.rand(3, 3, 16, 16)
    assert model.width == 64
    assert torch.equal(model(images), model.backbone(images))


def test_with_a_width_a_linear_layer_follows():
    model, images = EmbeddingModel(Conv4(16), 5).eval(), torch.rand(3, 3, 16, 16)
    expected = model.backbone(images) @ model.head.weight.T + model.head.bias
    torch.testing.assert_close(model(images), expected)
    assert model.width == 5


@pytest.mark.parametrize("kind", ["array", "tensor", "memory-mapped"])
def test_items_are_embedded_in_batches_in_evaluation_mode(kind, rng, tmp_path):
    model = EmbeddingModel(Conv4(16), 4).train()
    pixels = rng.integers(0, 256, (7, 3, 16, 16), dtype=np.uint8)
    np.save(tmp_path / "x.npy", pixels)
    given = {
        "array": pixels,
        "tensor": torch.from_numpy(pixels),
        "memory-mapped": np.load(tmp_path / "x.npy", mmap_mode="r"),
    }[kind]
    found = model.embed(given, batch_size=3)
    assert model.training
    expected = torch.cat([model.eval()(torch.from_numpy(pixels[i : i + 1]).float()) for i in range(7)])
    torch.testing.assert_close(found, expected.detach(), rtol=1e-4, atol=1e-4)


def test_a_saved_model_comes_back(tmp_path, rng):
    model = EmbeddingModel(Conv4(16), 4, {"seed": 3}).eval()
    model.save(tmp_path / "model")
    loaded = EmbeddingModel.load(tmp_path / "model")
    pixels = rng.integers(0, 256, (4, 3, 16, 16), dtype=np.uint8)
    assert torch.equal(loaded.embed(pixels), model.embed(pixels))
    assert (loaded.metadata, loaded.width, loaded.training) == ({"seed": 3}, 4, False)


def test_a_backbone_of_the_users_own_is_passed_to_load(tmp_path):
    def network(width=3):
        layer = nn.Linear(6, width)
        layer.out_features = width
        return layer

    model = EmbeddingModel(network(), 2).eval()
    model.save(tmp_path / "model")
    x = torch.rand(4, 6)
    assert torch.equal(EmbeddingModel.load(tmp_path / "model", network()).embed(x), model.embed(x))
    with pytest.raises(InputError, match="has a backbone of its own, Linear"):
        EmbeddingModel.load(tmp_path / "model")
    with pytest.raises(InputError, match="expected a backbone like the saved one, Linear"):
        EmbeddingModel.load(tmp_path / "model", network(5))


def test_a_damaged_file_is_an_error_and_never_a_model(tmp_path, damaged_copies):
    EmbeddingModel(Conv4(16), 2).save(tmp_path / "model")
    for _, copy in damaged_copies(tmp_path / "model", stride=30_011):
        with pytest.raises(FileError):
            EmbeddingModel.load(copy)


def test_the_identity_tells_backbones_and_widths_apart():
    identities = [EmbeddingModel(network, width).identity for network in (Conv4(16), Conv4(32)) for width in (None, 9)]
    assert all(identities.count(identity) == 1 for identity in identities)


def test_impossible_models_are_refused():
    with pytest.raises(InputError, match="a backbone with out_features, its width; Sequential has none"):
        EmbeddingModel(nn.Sequential())
    with pytest.raises(InputError, match="a width of at least 1; got 0"):
        EmbeddingModel(Conv4(16), 0)
