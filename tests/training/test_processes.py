"""Real processes, started as torchrun starts them, train as one process does."""

import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.datasets import make_blobs

from dimco import CodeModel
from dimco.cli.app import run
from dimco.errors import InputError, TrainingError
from dimco.heads import LinearHead
from dimco.ranks import ALONE
from dimco.spec import CodeSpec
from dimco.tensor_file import read_record
from dimco.training.processes import joined_processes

WORKER = Path(__file__).with_name("worker_of_processes.py")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def launch(count, *command):
    """The processes that a launcher would start, and no launcher around them."""
    here = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "WORLD_SIZE": str(count)}
    started = [
        subprocess.Popen(
            [sys.executable, *map(str, command)],
            env={**os.environ, **here, "RANK": str(rank), "LOCAL_RANK": str(rank), "OMP_NUM_THREADS": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(count)
    ]
    return [(*process.communicate(timeout=120), process.returncode) for process in started]


@pytest.fixture(scope="module")
def blobs_file(tmp_path_factory):
    X, y = make_blobs(200, 6, centers=4, random_state=0)
    path = tmp_path_factory.mktemp("blobs") / "train.npz"
    np.savez(path, x=X, y=y)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory, blobs_file):
    """What two processes wrote: their measurements, and the checkpoint of a run of 4 epochs stopped after 2."""
    folder = tmp_path_factory.mktemp("measured")
    for out, err, code in launch(2, WORKER, "measure", folder, blobs_file):
        assert code == 0, out + err
    return folder


@pytest.fixture(scope="module")
def measured(folder):
    """What two processes found for parts of the batches that the worker makes, and for the whole batches."""
    return [torch.load(folder / f"rank{rank}.pt", weights_only=True) for rank in range(2)]


CASES = ["infomax", "sum", "pairs", "groups", "decoder", "class scores", "batch norm"]


@pytest.mark.parametrize("name", CASES)
def test_two_processes_on_parts_find_the_loss_and_gradients_of_the_whole_batch(measured, name):
    for found in measured:
        torch.testing.assert_close(found[name]["parts"], found[name]["whole"])


def test_processes_agree_on_weights_and_numbers(measured):
    assert [found["agreed"] for found in measured] == [0.25, 0.25]
    assert torch.equal(measured[0]["weights"], measured[1]["weights"])


def test_a_process_that_loses_another_says_so_and_how_to_go_on(tmp_path):
    (_, _, first), (_, err, second) = launch(2, WORKER, "die", tmp_path)
    assert (first, second) == (3, 1)
    assert "TrainingError: process 1 of 2 lost another one" in err
    assert "the last checkpoint resumes on any number of processes" in err


def fit(data, output, *more):
    return ("fit", str(data), "-o", str(output), "--k", "4", "--d", "3", "--batch-size", "50", "--device", "cpu", *more)


def test_dimco_fit_on_two_processes_learns_the_code_of_one(blobs_file, tmp_path):
    assert run([*fit(blobs_file, tmp_path / "one", "--epochs", "4", "--held-out", "0.2"), "-q"]) == 0
    options = ("--epochs", "4", "--held-out", "0.2", "--json")
    results = launch(2, "-m", "dimco", *fit(blobs_file, tmp_path / "two", *options))
    assert [code for *_, code in results] == [0, 0], results
    assert json.loads(results[0][0])["epochs"] == 4
    assert "epoch 4/4" in results[0][1]
    assert (results[1][0], "epoch" in results[1][1]) == ("", False), "the second process is silent"
    one, two = CodeModel.load(tmp_path / "one"), CodeModel.load(tmp_path / "two")
    for name, tensor in one.state_dict().items():
        torch.testing.assert_close(two.state_dict()[name], tensor, rtol=1e-3, atol=1e-4)
    x = np.load(blobs_file)["x"]
    assert np.array_equal(one.encode(x).unpack(), two.encode(x).unpack())


def test_a_checkpoint_of_two_processes_resumes_on_one(blobs_file, folder, tmp_path):
    checkpoint = shutil.copy(folder / "model.checkpoint", tmp_path)
    assert len(read_record(checkpoint)[1]["history"]) == 2
    assert run([*fit(blobs_file, tmp_path / "model", "--epochs", "4", "--resume"), "-q"]) == 0
    assert run([*fit(blobs_file, tmp_path / "one", "--epochs", "4"), "-q"]) == 0
    one, resumed = CodeModel.load(tmp_path / "one"), CodeModel.load(tmp_path / "model")
    for name, tensor in one.state_dict().items():
        torch.testing.assert_close(resumed.state_dict()[name], tensor, rtol=1e-3, atol=1e-4)


def test_without_a_launcher_a_process_is_alone(monkeypatch):
    monkeypatch.delenv("RANK", raising=False)
    monkeypatch.setenv("WORLD_SIZE", "2")
    with joined_processes() as processes:
        assert processes is ALONE


def test_processes_that_do_not_come_are_named_in_one_line(monkeypatch):
    port = free_port()
    values = {"RANK": "1", "WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    with (
        pytest.raises(TrainingError, match=f"cannot join 2 processes at 127.0.0.1:{port}") as raised,
        joined_processes("cpu", seconds=1),
    ):
        pass
    assert "\n" not in str(raised.value)


def test_an_objective_that_cannot_share_a_batch_is_refused(blobs):
    from torch import nn

    from dimco.backbones import Standardize
    from dimco.training import ArrayData, train
    from dimco.training.processes import ProcessRanks

    two = ProcessRanks.__new__(ProcessRanks)
    two.rank, two.count = 0, 2
    model = CodeModel(Standardize(6), LinearHead(6, CodeSpec(4, 4), hidden=8))
    with pytest.raises(InputError, match=r"expected an objective that sums over processes.*; got Module"):
        train(model, nn.Module(), ArrayData(blobs.x, blobs.labels), processes=two)
    with pytest.raises(InputError, match="expected batches of at least 2 items, one a process; got 1"):
        two.part(np.arange(1))
