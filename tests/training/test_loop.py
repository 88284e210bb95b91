import dataclasses
import random

import numpy as np
import pytest
import torch
from torch import nn
from torch.utils.data import TensorDataset

from dimco.backbones import Standardize
from dimco.errors import DimcoError, InputError, MissingFileError, TrainingError
from dimco.heads import LinearHead, MLPHead
from dimco.model import CodeModel
from dimco.objectives import DecoderInfomax, Infomax
from dimco.spec import CodeSpec
from dimco.tensor_file import read_record
from dimco.training import ArrayData, DatasetData, TrainingConfig, train

SPEC = CodeSpec(k=4, d=4)
CONFIG = TrainingConfig(epochs=5, batch_size=16, lr=0.02, seed=3)
OBJECTIVES = {"infomax": lambda: Infomax(pairs=3), "decoder": lambda: DecoderInfomax(SPEC, 3)}
both_objectives = pytest.mark.parametrize("objective", OBJECTIVES.values(), ids=OBJECTIVES.keys())


@pytest.fixture
def data(blobs):
    return ArrayData(blobs.x, blobs.labels)


def mlp_model(seed=0):
    torch.manual_seed(seed)
    return CodeModel(Standardize(6), MLPHead(6, SPEC, hidden=16, dropout=0.3))


def linear_model():
    torch.manual_seed(0)
    return CodeModel(Standardize(6), LinearHead(6, SPEC, hidden=8))


def assert_same_weights(left, right):
    for name, tensor in left.state_dict().items():
        assert torch.equal(tensor, right.state_dict()[name]), name


def without_time(history):
    return [dataclasses.replace(record, seconds=0.0) for record in history]


def interrupt_at(epoch):
    def on_epoch(record):
        if record.epoch == epoch:
            raise KeyboardInterrupt

    return on_epoch


@both_objectives
def test_training_learns_to_tell_separable_classes_apart(objective, data, blobs):
    model = mlp_model()
    history = train(model, objective(), data, dataclasses.replace(CONFIG, epochs=15))
    assert history[-1].parts["total"] < history[0].parts["total"]
    codes = model.encode(blobs.x).unpack()
    owners = {codeword: set() for codeword in map(tuple, codes)}
    for codeword, label in zip(map(tuple, codes), blobs.labels, strict=True):
        owners[codeword].add(label)
    assert all(len(labels) == 1 for labels in owners.values())


@both_objectives
def test_a_resumed_run_ends_with_the_same_weights_to_the_bit(objective, data, blobs, tmp_path):
    held_out = ArrayData(blobs.x[::3], blobs.labels[::3])
    whole, whole_objective = mlp_model(), objective()
    history = train(whole, whole_objective, data, CONFIG, held_out)
    first, first_objective = mlp_model(), objective()
    with pytest.raises(KeyboardInterrupt):
        train(first, first_objective, data, CONFIG, held_out, tmp_path / "run", on_epoch=interrupt_at(2))
    resumed, resumed_objective = mlp_model(seed=99), objective()
    again = train(resumed, resumed_objective, data, CONFIG, held_out, tmp_path / "run", resume=True)
    assert_same_weights(resumed, whole)
    assert_same_weights(resumed_objective, whole_objective)
    assert without_time(again) == without_time(history)


def test_an_interruption_leaves_the_checkpoint_of_the_last_epoch(data, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        train(mlp_model(), Infomax(), data, CONFIG, checkpoint=tmp_path / "run", on_epoch=interrupt_at(3))
    kind, record = read_record(tmp_path / "run")
    assert kind == "checkpoint"
    assert [epoch["epoch"] for epoch in record["history"]] == [1, 2, 3]
    assert list(tmp_path.iterdir()) == [tmp_path / "run"]


def test_resuming_a_finished_run_changes_nothing(data, tmp_path):
    model = mlp_model()
    history = train(model, Infomax(), data, CONFIG, checkpoint=tmp_path / "run")
    again = mlp_model(seed=99)
    called = []
    assert train(again, Infomax(), data, CONFIG, None, tmp_path / "run", True, called.append) == history
    assert called == []
    assert_same_weights(again, model)


@pytest.mark.parametrize("change", [{"seed": 4}, {"lr": 0.03}, {"epochs": 6}, {"batch_size": 15}, {"balanced": 2}])
def test_a_checkpoint_of_other_settings_is_refused(data, tmp_path, change):
    train(mlp_model(), Infomax(), data, CONFIG, checkpoint=tmp_path / "run")
    other = dataclasses.replace(CONFIG, **change)
    with pytest.raises(TrainingError, match=f"of another run: expected {next(iter(change))}"):
        train(mlp_model(), Infomax(), data, other, checkpoint=tmp_path / "run", resume=True)


def test_a_checkpoint_of_other_data_objective_code_or_head_is_refused(data, blobs, tmp_path):
    train(mlp_model(), Infomax(), data, CONFIG, checkpoint=tmp_path / "run")
    fewer = ArrayData(blobs.x[:-1], blobs.labels[:-1])
    other_code = CodeModel(Standardize(6), MLPHead(6, CodeSpec(2, 8), hidden=16, dropout=0.3))
    for model, objective, items, kind in [
        (mlp_model(), Infomax(), fewer, TrainingError),
        (mlp_model(), DecoderInfomax(SPEC, 3), data, TrainingError),
        (other_code, Infomax(), data, TrainingError),
        (linear_model(), Infomax(), data, DimcoError),
    ]:
        with pytest.raises(kind):
            train(model, objective, items, CONFIG, checkpoint=tmp_path / "run", resume=True)


def test_early_stopping_ends_patience_epochs_after_the_best_and_keeps_it(rng, blobs):
    noise = ArrayData(blobs.x, rng.integers(0, 3, 60))
    held_out = ArrayData(blobs.x[::2], rng.integers(0, 3, 30))
    model, states = mlp_model(), []

    def keep(_):
        states.append({name: tensor.clone() for name, tensor in model.state_dict().items()})

    config = dataclasses.replace(CONFIG, epochs=60, patience=4)
    history = train(model, Infomax(), noise, config, held_out, on_epoch=keep)
    best = int(np.argmax([record.held_out for record in history]))
    assert len(history) == best + 1 + 4 < 60
    assert all(torch.equal(tensor, states[best][name]) for name, tensor in model.state_dict().items())


def test_held_out_information_is_that_of_the_model_in_evaluation_mode(data, blobs):
    held_out = ArrayData(blobs.x[::2], blobs.labels[::2])
    model, measured = mlp_model(), []

    def measure(_):
        logits = model.log_probs(blobs.x[::2])
        measured.append(Infomax()(logits, torch.from_numpy(blobs.labels[::2])).information.item())
        model.train()

    history = train(model, Infomax(), data, CONFIG, held_out, on_epoch=measure)
    assert [record.held_out for record in history] == pytest.approx(measured, abs=1e-5)


def test_arrays_tensors_memory_maps_and_datasets_learn_the_same(blobs, tmp_path):
    np.save(tmp_path / "x.npy", blobs.x)
    tensor = torch.from_numpy(blobs.x)
    models = []
    for data in (
        ArrayData(blobs.x, blobs.labels),
        ArrayData(tensor, blobs.labels),
        DatasetData(TensorDataset(tensor, tensor), blobs.labels),
        ArrayData(np.load(tmp_path / "x.npy", mmap_mode="r"), blobs.labels),
    ):
        models.append(linear_model())
        train(models[-1], Infomax(), data, CONFIG)
    assert_same_weights(models[1], models[0])
    assert_same_weights(models[2], models[0])
    np.testing.assert_allclose(models[3].log_probs(blobs.x), models[0].log_probs(blobs.x), atol=1e-3)


@both_objectives
def test_the_seed_alone_decides_the_weights(objective, data):
    def trained(seed):
        torch.manual_seed(0)
        model, loss = mlp_model(), objective()
        torch.manual_seed(random.randrange(2**31))
        train(model, loss, data, dataclasses.replace(CONFIG, seed=seed))
        return model

    assert_same_weights(trained(1), trained(1))
    assert not torch.equal(trained(1).head.layers[0].weight, trained(2).head.layers[0].weight)


def test_global_random_states_are_untouched(blobs):
    dataset = DatasetData(TensorDataset(torch.from_numpy(blobs.x)), blobs.labels)
    model, objective = mlp_model(), Infomax(pairs=2)

    def states():
        return torch.get_rng_state().tolist(), str(np.random.get_state()), random.getstate()  # noqa: NPY002

    before = states()
    train(model, objective, dataset, dataclasses.replace(CONFIG, balanced=2), held_out=dataset)
    assert states() == before


def test_the_learning_rate_follows_the_schedule(data):
    def last_rates(schedule):
        config = dataclasses.replace(CONFIG, schedule=schedule)
        return [record.lr for record in train(mlp_model(), Infomax(), data, config)]

    assert last_rates("constant") == [0.02] * 5
    assert last_rates("cosine") == sorted(last_rates("cosine"), reverse=True)
    assert last_rates("one-cycle")[-1] == pytest.approx(0.02 * 1e-5)


class Recorder(nn.Module):
    """Infomax that keeps the labels of each batch, what the generators draw, and the loss."""

    def __init__(self):
        super().__init__()
        self.seen, self.inner = [], Infomax()

    def forward(self, logits, labels, generator=None):
        own = torch.rand(1, generator=generator).item()
        parts = self.inner(logits, labels, generator)
        self.seen.append((tuple(labels.tolist()), own, torch.rand(1).item(), parts.total.item()))
        return parts


def recorded(data, **options):
    recorder = Recorder()
    history = train(mlp_model(), recorder, data, dataclasses.replace(CONFIG, **options))
    return recorder.seen, history


def test_each_epoch_of_each_seed_has_batches_and_draws_of_its_own(data):
    seen = recorded(data)[0] + recorded(data, seed=4)[0]
    for drawn in zip(*seen, strict=True):
        assert len(set(drawn)) == len(drawn) == 30


def test_reported_parts_are_means_over_the_steps_of_the_epoch(data):
    seen, history = recorded(data)
    losses = np.reshape([loss for *_, loss in seen], (5, 3))
    assert [record.parts["total"] for record in history] == pytest.approx(losses.mean(1).tolist(), abs=1e-6)


def test_each_epoch_is_reported_once_and_in_order(data):
    seen = []
    history = train(mlp_model(), Infomax(), data, CONFIG, on_epoch=seen.append)
    assert seen == history
    assert [(record.epoch, record.epochs) for record in seen] == [(epoch, 5) for epoch in range(1, 6)]
    assert set(seen[0].parts) == {"total", "information", "code_entropy", "conditional_entropy", "dependence"}


def test_the_model_ends_in_evaluation_mode_and_with_trained_objective(data):
    model, objective = mlp_model(), DecoderInfomax(SPEC, 3)
    table = objective.table.detach().clone()
    train(model, objective, data, CONFIG)
    assert not model.training
    assert not torch.equal(objective.table, table)


class Diverging(nn.Module):
    """Infomax whose loss is NaN in the second epoch."""

    def __init__(self):
        super().__init__()
        self.calls, self.inner = 0, Infomax()

    def forward(self, logits, labels, generator=None):
        self.calls += 1
        parts = self.inner(logits, labels, generator)
        return parts._replace(total=parts.total * torch.nan) if self.calls > 3 else parts


def test_a_loss_of_nan_stops_the_run_and_spares_the_last_good_checkpoint(data, tmp_path):
    with pytest.raises(TrainingError, match="the loss became nan in epoch 2"):
        train(mlp_model(), Diverging(), data, CONFIG, checkpoint=tmp_path / "run")
    assert len(read_record(tmp_path / "run")[1]["history"]) == 1


def test_balanced_batches_reach_the_objective(data):
    for labels, *_ in recorded(data, balanced=2)[0]:
        assert sorted(labels.count(label) for label in set(labels)) == [8, 8]


def test_more_balanced_classes_than_there_are_is_refused(data):
    with pytest.raises(InputError, match="at least 4 classes for balanced batches; got 3"):
        train(mlp_model(), Infomax(), data, dataclasses.replace(CONFIG, balanced=4))


def test_arguments_that_contradict_each_other_are_refused(data, tmp_path):
    with pytest.raises(InputError, match="patience without"):
        train(mlp_model(), Infomax(), data, dataclasses.replace(CONFIG, patience=2))
    with pytest.raises(InputError, match="checkpoint to resume from"):
        train(mlp_model(), Infomax(), data, CONFIG, resume=True)
    with pytest.raises(MissingFileError):
        train(mlp_model(), Infomax(), data, CONFIG, checkpoint=tmp_path / "nothing", resume=True)
    with pytest.raises(InputError, match="expected a device"):
        train(mlp_model(), Infomax(), data, dataclasses.replace(CONFIG, device="nowhere"))
