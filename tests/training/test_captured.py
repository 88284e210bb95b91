"""Recorded steps against plain ones: on the CPU with a recording that only repeats, and with graphs where CUDA is."""

from __future__ import annotations

import dataclasses
import gc

import numpy as np
import pytest
import torch
from torch import nn
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from dimco.backbones import Conv4
from dimco.embedding_model import EmbeddingModel
from dimco.errors import InputError, TrainingError
from dimco.heads import LinearHead
from dimco.model import CodeModel
from dimco.objectives import DecoderInfomax, Infomax, InfomaxOutput
from dimco.spec import CodeSpec
from dimco.training import ArrayData, Augmentation, DatasetData, PixelData, TrainingConfig, train
from dimco.training.captured import CapturedSteps, KnownClasses
from dimco.training.step import Step

SPEC = CodeSpec(k=4, d=6)
OBJECTIVES = {
    "infomax": Infomax,
    "infomax of drawn pairs": lambda: Infomax(pairs=3),
    "infomax of drawn groups": lambda: Infomax(group=2),
    "decoder": lambda: DecoderInfomax(SPEC, 5),
}
on_cuda = pytest.mark.skipif(not torch.cuda.is_available(), reason="CUDA graphs need a CUDA device; torch finds none")


class Repeated:
    """What a recording on a CUDA device does, by running the step again."""

    def __init__(self, body, modules, optimizer, generator):
        self.replay = body


@pytest.fixture
def pixels(rng):
    labels = np.arange(40) % 5
    values = rng.integers(0, 256, (40, 3, 16, 16), dtype=np.uint8) // 2 + (25 * labels)[:, None, None, None]
    return values.astype(np.uint8), labels


def code_model():
    torch.manual_seed(0)
    return CodeModel(Conv4(16), LinearHead(64, SPEC, hidden=8))


def run(steps, plan, rates):
    """Sums of an epoch of plain or of recorded steps, from the same numbers."""
    torch.manual_seed(1)
    generator = torch.Generator().manual_seed(2)
    if isinstance(steps, CapturedSteps):
        return steps.run(plan, rates, generator)
    step, data, sums = steps
    for rows, rate in zip(plan, rates, strict=True):
        step.optimizer.param_groups[0]["lr"].fill_(rate)
        for name, value in step(*data.gather(torch.from_numpy(rows)), generator).items():
            sums[name] = sums.get(name, 0) + value
    return sums


def built(objective, data):
    model = code_model()
    weights = [*model.parameters(), *objective.parameters()]
    optimizer = torch.optim.SGD([{"params": weights, "share": 1.0, "lr": torch.tensor(0.0)}], momentum=0.9)
    return Step(model, objective, optimizer, mixed_precision=False), model


@pytest.mark.parametrize("name", OBJECTIVES)
def test_repeated_steps_take_the_batches_rates_and_draws_of_plain_ones(name, pixels):
    data = PixelData(*pixels, Augmentation(16, 2, 0.4))
    rng = np.random.default_rng(0)
    plan = np.stack([np.concatenate([rng.choice(8, 3, replace=False) * 5 + c for c in (4, 0, 2)]) for _ in range(4)])
    rates, results = [0.1, 0.05, 0.02, 0.01], []
    for captured in (False, True):
        torch.manual_seed(0)
        step, model = built(OBJECTIVES[name](), data)
        steps = CapturedSteps(step, data, 3, Repeated) if captured else (step, data, {})
        results.append((run(steps, plan, rates), model.state_dict()))
    (plain, weights), (repeated, other) = results
    assert plain.keys() == repeated.keys()
    for part, value in plain.items():
        torch.testing.assert_close(repeated[part], value)
    for tensor, expected in zip(other.values(), weights.values(), strict=True):
        torch.testing.assert_close(tensor, expected)


class Listener(nn.Module):
    """Keeps the labels it is given."""

    def __init__(self, needs_class_ids=None):
        super().__init__()
        self.seen = []
        if needs_class_ids is not None:
            self.needs_class_ids = needs_class_ids

    def forward(self, output, labels, generator=None):
        self.seen.append(labels.tolist())
        return InfomaxOutput(*[output.sum()] * 5)


@pytest.mark.parametrize(("needs", "expected"), [(None, [4, 4, 1, 1]), (True, [4, 4, 1, 1]), (False, [0, 0, 1, 1])])
def test_labels_are_numbered_anew_for_objectives_that_allow_it_alone(needs, expected, pixels):
    data, objective = PixelData(*pixels), Listener(needs)
    step, _ = built(objective, data)
    CapturedSteps(step, data, 2, Repeated).run(np.array([[4, 9, 1, 6]]), [0.1], torch.Generator())
    assert objective.seen == [expected]


def test_each_epoch_counts_and_sums_anew(pixels):
    data, objective = PixelData(*pixels), Listener()
    step, _ = built(objective, data)
    steps = CapturedSteps(step, data, None, Repeated)
    generator = torch.Generator()
    first = steps.run(np.array([[0, 1], [2, 3]]), [0.0, 0.0], generator)
    again = steps.run(np.array([[0, 1], [2, 3]]), [0.0, 0.0], generator)
    other = steps.run(np.array([[5, 6], [7, 8]]), [0.0, 0.0], generator)
    assert objective.seen == [[0, 1], [2, 3], [0, 1], [2, 3], [0, 1], [2, 3]]
    torch.testing.assert_close(again, first)
    assert other["total"] != first["total"]


def test_the_objective_is_left_as_it_was(pixels):
    data, objective = PixelData(*pixels), Infomax()
    step, _ = built(objective, data)
    before = objective.ranks
    CapturedSteps(step, data, 2, Repeated).run(np.array([[4, 9, 1, 6]]), [0.1], torch.Generator())
    assert objective.ranks is before


def test_known_classes_are_those_of_labels_numbered_from_0():
    labels = torch.tensor([0, 0, 1, 1, 2, 2])
    assert torch.equal(KnownClasses(3).classes(labels), torch.unique(labels))


def test_what_cannot_be_captured_is_refused(pixels):
    data = PixelData(*pixels)
    with pytest.raises(InputError, match="balanced batches for a captured step with Infomax; got plain ones"):
        CapturedSteps(built(Infomax(), data)[0], data, None, Repeated)
    with pytest.raises(InputError, match="a CUDA device for a captured step; got cpu"):
        train(code_model(), Infomax(), data, TrainingConfig(balanced=5, captured=True, device="cpu"))
    with pytest.raises(InputError, match="a CUDA device for a compiled network; got cpu"):
        train(code_model(), Infomax(), data, TrainingConfig(balanced=5, compiled=True, device="cpu"))


@on_cuda
@pytest.mark.parametrize("mixed", [False, True], ids=["float32", "bfloat16"])
@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
@pytest.mark.parametrize("name", OBJECTIVES)
def test_captured_and_plain_steps_give_the_same_losses(name, optimizer, mixed, pixels):
    config = TrainingConfig(
        epochs=3, batch_size=20, lr=0.01, balanced=5, optimizer=optimizer, mixed_precision=mixed, device="cuda"
    )
    losses = []
    for captured in (False, True):
        data = PixelData(*pixels, Augmentation(16, 2, 0.4))
        model, objective = code_model(), OBJECTIVES[name]()
        history = train(model, objective, data, dataclasses.replace(config, captured=captured))
        losses.append([list(record.parts.values()) for record in history])
    np.testing.assert_allclose(losses[1], losses[0], rtol=0.03 if mixed else 1e-3, atol=0.03 if mixed else 1e-3)


@on_cuda
def test_a_captured_run_goes_on_from_its_checkpoint(pixels, tmp_path):
    config = TrainingConfig(epochs=4, batch_size=20, balanced=5, optimizer="sgd", captured=True, device="cuda")
    data = PixelData(*pixels)

    def stop(record):
        if record.epoch == 2:
            raise KeyboardInterrupt

    whole = train(code_model(), Infomax(), data, config)
    with pytest.raises(KeyboardInterrupt):
        train(code_model(), Infomax(), data, config, checkpoint=tmp_path / "run", on_epoch=stop)
    resumed = train(code_model(), Infomax(), data, config, checkpoint=tmp_path / "run", resume=True)
    expected = [record.parts["total"] for record in whole]
    assert [record.parts["total"] for record in resumed] == pytest.approx(expected, abs=1e-3)


class Waiting(nn.Module):
    """An objective that reads a number back from the device."""

    def forward(self, output, labels, generator=None):
        return InfomaxOutput(*[output.sum() * float(output.detach().mean())] * 5)


@on_cuda
def test_an_objective_that_waits_for_the_device_is_one_clear_line(pixels):
    config = TrainingConfig(epochs=1, batch_size=20, captured=True, device="cuda")
    with pytest.raises(TrainingError, match=r"the step cannot be captured: .*; train with captured=False"):
        train(EmbeddingModel(Conv4(16)), Waiting(), PixelData(*pixels), config)


@on_cuda
def test_data_that_do_not_stay_on_the_device_are_refused(pixels):
    values, labels = pixels
    dataset = torch.utils.data.TensorDataset(torch.from_numpy(values))
    config = TrainingConfig(epochs=1, batch_size=20, captured=True, device="cuda")
    with pytest.raises(InputError, match="data that stay on the device for a captured step; got DatasetData"):
        train(code_model(), DecoderInfomax(SPEC, 5), DatasetData(dataset, labels), config)


def test_a_memory_mapped_array_is_refused(tmp_path, blobs):
    np.save(tmp_path / "x.npy", blobs.x)
    data = ArrayData(np.load(tmp_path / "x.npy", mmap_mode="r"), blobs.labels)
    with pytest.raises(InputError, match="an array in memory for a captured step; got a memory-mapped one"):
        data.gather(torch.tensor([0]))


class Listening(TorchDispatchMode):
    """Collects the memory that operations read and did not make."""

    def __init__(self):
        super().__init__()
        self.made, self.read = [], {}

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        known = {storage._cdata for storage in self.made}
        for tensor in tree_leaves((args, kwargs)):
            if isinstance(tensor, torch.Tensor) and tensor.untyped_storage()._cdata not in known:
                self.read[tensor.untyped_storage()._cdata] = StorageWeakRef(tensor.untyped_storage())
        result = function(*args, **(kwargs or {}))
        self.made += [made.untyped_storage() for made in tree_leaves(result) if isinstance(made, torch.Tensor)]
        return result


def test_what_a_recorded_step_reads_is_held(pixels):
    listening = Listening()

    def record(body, modules, optimizer, generator):
        with listening:
            body()
        return Repeated(lambda: None, modules, optimizer, generator)

    step, _ = built(OBJECTIVES["decoder"](), PixelData(*pixels))
    steps = CapturedSteps(step, PixelData(*pixels), 2, record)
    steps.run(np.array([[4, 9, 1, 6]]), [0.1], torch.Generator())
    gc.collect()
    assert len(listening.read) > 10
    assert [reference for reference in listening.read.values() if reference.expired()] == []
