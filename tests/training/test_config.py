import dataclasses
import json

import pytest

from dimco.errors import InputError
from dimco.training import TrainingConfig


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epochs": 0}, "epochs of at least 1; got 0"),
        ({"batch_size": 1}, "batch_size of at least 2; got 1"),
        ({"balanced": 0}, "balanced of at least 1"),
        ({"patience": -1}, "patience of at least 1; got -1"),
        ({"lr": 0.0}, "positive learning rate"),
        ({"lr": -1.0}, "positive learning rate"),
        ({"lr": float("nan")}, "positive learning rate; got nan"),
        ({"lr": float("inf")}, "positive learning rate"),
        ({"schedule": "linear"}, "expected schedule .*; got 'linear'"),
        ({"balanced": 9, "batch_size": 8}, "a batch to hold 9 classes; it has 8 items"),
        ({"seed": -1}, "seed of at least 0"),
        ({"optimizer": "rmsprop"}, 'optimizer "adam" or "sgd"; got .rmsprop'),
        ({"momentum": 1.0}, "momentum from 0 to below 1; got 1.0"),
        ({"weight_decay": -1e-4}, "weight_decay of at least 0; got -0.0001"),
        ({"backbone_lr": float("inf")}, "backbone_lr of at least 0; got inf"),
        ({"validate_every": 0}, "validate_every of at least 1; got 0"),
    ],
)
def test_settings_that_cannot_train_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        TrainingConfig(**options)


def test_the_smallest_settings_are_allowed():
    config = TrainingConfig(epochs=1, batch_size=2, balanced=1, patience=1, lr=1e-12, seed=0)
    assert config.batch_size == 2


def test_the_record_is_json_and_builds_the_config_again():
    config = TrainingConfig(epochs=3, balanced=4, schedule="cosine")
    record = json.loads(json.dumps(config.as_record()))
    assert TrainingConfig(**record) == config


def test_the_record_leaves_out_the_device_and_the_graph_only():
    assert (
        TrainingConfig(device="cpu").as_record()
        == TrainingConfig(device="cuda", captured=True, compiled=True).as_record()
    )
    names = {field.name for field in dataclasses.fields(TrainingConfig)}
    assert set(TrainingConfig().as_record()) == names - {"device", "captured", "compiled"}


def test_a_config_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        TrainingConfig().lr = 1.0
