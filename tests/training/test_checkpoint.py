import pytest
import torch
from torch import nn

from dimco.errors import DamagedFileError, FileError, ForeignFileError, MissingFileError, TrainingError
from dimco.tensor_file import read_tensors, write_tensors
from dimco.training import EpochRecord
from dimco.training.checkpoint import KIND, Progress, load_checkpoint, save_checkpoint

RUN = {"code": "4x2", "lr": 0.1, "balanced": None}


def epochs(*held_out):
    return [EpochRecord(i + 1, 9, 0.1, {"total": 0.5}, value, 1.0) for i, value in enumerate(held_out)]


OPTIMIZERS = {
    "adam": lambda weights: torch.optim.Adam(weights, lr=0.1),
    "sgd": lambda weights: torch.optim.SGD(weights, lr=0.1, momentum=0.9, nesterov=True),
    "plain sgd": lambda weights: torch.optim.SGD(weights, lr=0.1),
}


def module_and_optimizer(optimizer="adam"):
    module = nn.Sequential(nn.Linear(3, 2), nn.BatchNorm1d(2))
    return module, OPTIMIZERS[optimizer](module.parameters())


def step(module, optimizer):
    x = torch.arange(12.0).reshape(4, 3) ** 0.5
    optimizer.zero_grad()
    (module(x) ** 3).sum().backward()
    optimizer.step()


@pytest.fixture
def trained():
    pair = module_and_optimizer()
    step(*pair)
    return pair


@pytest.fixture
def path(trained, tmp_path):
    best = {name: tensor.clone() for name, tensor in trained[0].state_dict().items()}
    step(*trained)
    save_checkpoint(tmp_path / "run", *trained, Progress(epochs(0.3, 0.2), 1, best), RUN)
    return tmp_path / "run"


def test_a_restored_run_takes_the_same_next_steps(path, trained):
    again = module_and_optimizer()
    load_checkpoint(path, *again, RUN)
    for _ in range(3):
        step(*trained)
        step(*again)
    for name, tensor in trained[0].state_dict().items():
        assert torch.equal(again[0].state_dict()[name], tensor)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_every_optimizer_takes_the_same_next_steps(name, tmp_path):
    first, again = module_and_optimizer(name), module_and_optimizer(name)
    step(*first)
    save_checkpoint(tmp_path / "run", *first, Progress(epochs(None)), RUN)
    load_checkpoint(tmp_path / "run", *again, RUN)
    for _ in range(3):
        step(*first)
        step(*again)
    for name_in_state, tensor in first[0].state_dict().items():
        assert torch.equal(again[0].state_dict()[name_in_state], tensor)


def test_the_optimizers_state_keeps_the_layout_of_the_weights(tmp_path):
    def pair():
        module = nn.Conv2d(3, 4, 3).to(memory_format=torch.channels_last)
        return module, torch.optim.SGD(module.parameters(), lr=0.1, momentum=0.9)

    module, optimizer = pair()
    module(torch.rand(2, 3, 5, 5)).sum().backward()
    optimizer.step()
    save_checkpoint(tmp_path / "run", module, optimizer, Progress(epochs(None)), RUN)
    again, other = pair()
    load_checkpoint(tmp_path / "run", again, other, RUN)
    found, expected = other.state[again.weight], optimizer.state[module.weight]
    assert torch.equal(found["momentum_buffer"], expected["momentum_buffer"])
    assert found["momentum_buffer"].stride() == again.weight.stride()


def test_progress_is_restored(path, trained):
    progress = load_checkpoint(path, *module_and_optimizer(), RUN)
    assert progress.history == epochs(0.3, 0.2)
    assert (progress.best_epoch, progress.best_score) == (1, 0.3)
    assert progress.best_state.keys() == trained[0].state_dict().keys()


def test_a_run_without_a_held_out_part_has_no_best_epoch(tmp_path):
    save_checkpoint(tmp_path / "run", *module_and_optimizer(), Progress(epochs(None)), RUN)
    progress = load_checkpoint(tmp_path / "run", *module_and_optimizer(), RUN)
    assert (progress.best_epoch, progress.best_state) == (None, None)
    assert progress.best_score == float("-inf")


def test_a_run_judged_by_validation_restores_its_best_score(tmp_path):
    history = [EpochRecord(i + 1, 9, 0.1, {"total": 0.5}, None, 1.0, score) for i, score in enumerate((0.2, None, 0.7))]
    module, optimizer = module_and_optimizer()
    save_checkpoint(tmp_path / "run", module, optimizer, Progress(history, 3, module.state_dict()), RUN)
    progress = load_checkpoint(tmp_path / "run", *module_and_optimizer(), RUN)
    assert (progress.history, progress.best_score) == (history, 0.7)


@pytest.mark.parametrize(
    ("done", "best", "patience", "exhausted"),
    [(3, 1, 2, True), (2, 1, 2, False), (9, 1, None, False), (5, 5, 1, False), (6, 5, 1, True), (4, None, 1, False)],
)
def test_patience_counts_the_epochs_since_the_best(done, best, patience, exhausted):
    assert Progress(epochs(*[0.0] * done), best).exhausted(patience) is exhausted


@pytest.mark.parametrize("change", [{"code": "4x3"}, {"lr": 0.2}, {"balanced": 3}, {"new": 1}])
def test_a_checkpoint_of_another_run_is_refused_and_says_what_differs(path, change):
    module, optimizer = module_and_optimizer()
    before = module[0].weight.clone()
    with pytest.raises(TrainingError, match=f"is of another run: expected {next(iter(change))}"):
        load_checkpoint(path, module, optimizer, RUN | change)
    assert torch.equal(module[0].weight, before)


def test_every_cut_and_flipped_byte_is_found(path, damaged_copies):
    for damage, copy in damaged_copies(path, stride=11):
        with pytest.raises(FileError):
            pytest.fail(f"{damage} was not found: {load_checkpoint(copy, *module_and_optimizer(), RUN)}")


def test_a_module_of_another_shape_is_refused(path):
    module = nn.Linear(3, 2)
    with pytest.raises(DamagedFileError):
        load_checkpoint(path, module, torch.optim.Adam(module.parameters()), RUN)


@pytest.mark.parametrize(
    ("tensors", "change"),
    [({"optimizer.x.step": torch.zeros(1)}, {}), ({}, {"history": [{}]}), ({}, {"history": 3})],
    ids=["optimizer", "epoch", "history"],
)
def test_contents_that_make_no_sense_are_damage(path, tensors, change):
    stored, record = read_tensors(path, KIND)
    write_tensors(path, KIND, stored | tensors, record | change)
    with pytest.raises(DamagedFileError, match="is damaged"):
        load_checkpoint(path, *module_and_optimizer(), RUN)


@pytest.mark.parametrize("name", ["run", "history", "best_epoch"])
def test_a_record_that_lacks_a_name_is_damage(path, name):
    stored, record = read_tensors(path, KIND)
    del record[name]
    write_tensors(path, KIND, stored, record)
    with pytest.raises(DamagedFileError, match=f"its record lacks {name}"):
        load_checkpoint(path, *module_and_optimizer(), RUN)


def test_missing_files_and_other_kinds_are_told_apart(tmp_path):
    with pytest.raises(MissingFileError):
        load_checkpoint(tmp_path / "nothing", *module_and_optimizer(), RUN)
    write_tensors(tmp_path / "model", "model", {}, {})
    with pytest.raises(ForeignFileError, match="expected a dimco checkpoint file"):
        load_checkpoint(tmp_path / "model", *module_and_optimizer(), RUN)
