"""The training loop with embeddings, metric losses, images and a function that validates."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from dimco.backbones import Conv4
from dimco.embedding_model import EmbeddingModel
from dimco.errors import InputError, TrainingError
from dimco.heads import LinearHead
from dimco.model import CodeModel
from dimco.objectives import Infomax
from dimco.spec import CodeSpec
from dimco.training import ArrayData, Augmentation, PixelData, TrainingConfig, train

CONFIG = TrainingConfig(epochs=6, batch_size=12, lr=0.05, balanced=3, optimizer="sgd", weight_decay=1e-4, seed=1)


class Parts(NamedTuple):
    total: Tensor
    same: Tensor


class Contrast(nn.Module):
    """Squared distances: small within a class, at least 1 between classes; keeps what the loop tells it."""

    batch_classes: int | None = None

    def forward(self, output, labels, generator=None):
        distances = ((output[:, None] - output[None]) ** 2).sum(-1)
        same = (labels[:, None] == labels[None]).float()
        within = (distances * same).sum() / same.sum()
        between = ((1 - distances).clamp(min=0) * (1 - same)).sum() / (1 - same).sum()
        return Parts(within + between, within)


class Projection(nn.Linear):
    def __init__(self):
        super().__init__(6, 4)
        self.out_features = 4


def model(seed=0):
    torch.manual_seed(seed)
    return EmbeddingModel(Projection(), width=2)


def nearest_is_of_the_same_class(embeddings, labels):
    distances = torch.cdist(embeddings, embeddings).fill_diagonal_(float("inf"))
    return (torch.from_numpy(labels)[distances.argmin(1)] == torch.from_numpy(labels)).float().mean().item()


@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_an_embedding_model_learns_from_a_metric_loss(optimizer, blobs):
    trained, objective = model(), Contrast()
    config = dataclasses.replace(CONFIG, epochs=15, optimizer=optimizer, lr=0.02)
    history = train(trained, objective, ArrayData(blobs.x, blobs.labels), config)
    assert history[-1].parts["total"] < 0.5 * history[0].parts["total"]
    assert set(history[0].parts) == {"total", "same"}
    assert history[0].information_bits is None
    assert nearest_is_of_the_same_class(trained.embed(blobs.x), blobs.labels) == 1.0
    assert objective.batch_classes == 3
    assert not trained.training


def test_a_code_of_images_learns_from_augmented_bytes(rng):
    labels = np.arange(30) % 3
    pixels = rng.integers(0, 60, (30, 3, 16, 16))
    pixels[np.arange(30), labels] += 150
    trained = CodeModel(Conv4(16), LinearHead(64, CodeSpec(4, 2), hidden=8))
    data = PixelData(pixels.astype(np.uint8), labels, Augmentation(16, padding=2, jitter=0.2))
    config = dataclasses.replace(CONFIG, epochs=40, batch_size=15, lr=0.05)
    history = train(trained, Infomax(), data, config)
    assert history[-1].information_bits > np.log2(3)
    codes = [tuple(code) for code in trained.encode(pixels.astype(np.uint8)).unpack()]
    assert len(set(codes)) == len(set(zip(codes, labels, strict=True))) == 3


def test_validation_is_called_every_few_epochs_and_after_the_last_in_evaluation_mode(blobs):
    modes = []

    def validate(given):
        modes.append((given.training, torch.is_grad_enabled()))
        return float(len(modes))

    config = dataclasses.replace(CONFIG, epochs=5, validate_every=2)
    history = train(model(), Contrast(), ArrayData(blobs.x, blobs.labels), config, validate=validate)
    assert [record.validated for record in history] == [None, 1.0, None, 2.0, 3.0]
    assert modes == [(False, False)] * 3


def test_the_model_ends_as_it_was_at_its_best_score(blobs):
    scores, states = iter([0.3, 0.8, 0.8, 0.1, 0.5, 0.2]), []

    def validate(given):
        states.append({name: tensor.clone() for name, tensor in given.state_dict().items()})
        return next(scores)

    trained = model()
    train(trained, Contrast(), ArrayData(blobs.x, blobs.labels), CONFIG, validate=validate)
    assert all(torch.equal(tensor, states[1][name]) for name, tensor in trained.state_dict().items())


def test_training_stops_patience_epochs_after_the_best_score(blobs):
    scores = iter([0.3, 0.8, 0.1, 0.5, 0.9, 0.9])
    config = dataclasses.replace(CONFIG, patience=2)
    history = train(model(), Contrast(), ArrayData(blobs.x, blobs.labels), config, validate=lambda _: next(scores))
    assert len(history) == 4


def test_validation_changes_nothing_of_what_is_learned(blobs):
    def validate(given):
        torch.rand(3)
        return -float(given(torch.rand(4, 6)).sum().abs() >= 0)

    config = dataclasses.replace(CONFIG, validate_every=1)
    alone, watched = model(), model()
    plain = train(alone, Contrast(), ArrayData(blobs.x, blobs.labels), config)
    judged = train(watched, Contrast(), ArrayData(blobs.x, blobs.labels), config, validate=validate)
    assert [record.parts for record in judged] == [record.parts for record in plain]


def test_a_resumed_embedding_model_ends_with_the_same_weights_to_the_bit(blobs, tmp_path):
    def stop(record):
        if record.epoch == 3:
            raise KeyboardInterrupt

    data, whole, resumed = ArrayData(blobs.x, blobs.labels), model(), model(seed=9)
    train(whole, Contrast(), data, CONFIG)
    with pytest.raises(KeyboardInterrupt):
        train(model(), Contrast(), data, CONFIG, checkpoint=tmp_path / "run", on_epoch=stop)
    other = EmbeddingModel(Projection(), width=3)
    with pytest.raises(TrainingError, match="of another run: expected width"):
        train(other, Contrast(), data, CONFIG, checkpoint=tmp_path / "run", resume=True)
    train(resumed, Contrast(), data, CONFIG, checkpoint=tmp_path / "run", resume=True)
    for name, tensor in whole.state_dict().items():
        assert torch.equal(resumed.state_dict()[name], tensor)


def test_the_backbone_alone_stays_when_its_share_of_the_rate_is_0(blobs):
    trained = model()
    before = {name: tensor.clone() for name, tensor in trained.state_dict().items()}
    train(trained, Contrast(), ArrayData(blobs.x, blobs.labels), dataclasses.replace(CONFIG, backbone_lr=0.0))
    for name, tensor in trained.state_dict().items():
        assert torch.equal(tensor, before[name]) == name.startswith("backbone.")


def test_a_score_that_is_no_number_and_two_judges_are_refused(blobs):
    data = ArrayData(blobs.x, blobs.labels)
    with pytest.raises(TrainingError, match="validate gave nan in epoch 1"):
        train(model(), Contrast(), data, CONFIG, validate=lambda _: float("nan"))
    with pytest.raises(InputError, match="held-out data or a function that validates; got both"):
        train(model(), Contrast(), data, CONFIG, data, validate=lambda _: 0.0)
