"""Embeddings from files: labels as indices, and the network's own predictions."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from dimco.errors import InputError, MissingFileError
from dimco.experiments.compression.data import from_files, load_embeddings


@pytest.fixture
def write(tmp_path):
    def write(name, x, y):
        np.savez(tmp_path / name, x=np.asarray(x, dtype=np.float32), y=np.asarray(y))
        return tmp_path / name

    return write


def test_classes_are_those_of_training_in_order(toy, files):
    assert (toy.name, toy.backbone, toy.classes, toy.predicted) == ("toy", "given", 5, None)
    with np.load(files.train) as train, np.load(files.test) as test:
        np.testing.assert_array_equal(toy.x, train["x"])
        np.testing.assert_array_equal(toy.query, test["x"])
        np.testing.assert_array_equal(toy.y, train["y"])


@pytest.mark.parametrize(
    ("train", "test"),
    [([30, 10, 20, 10], [5, 10, 15, 20, 30, 40]), (["c", "a", "b", "a"], ["A", "a", "aa", "b", "c", "d"])],
)
def test_test_labels_that_training_lacks_are_minus_one(write, train, test):
    found = from_files("d", "b", write("train.npz", np.eye(4), train), write("test.npz", np.ones((6, 4)), test))
    assert found.y.tolist() == [2, 0, 1, 0]
    assert found.truth.tolist() == [-1, 0, -1, 1, 2, -1]
    assert found.classes == 3


def test_the_last_layer_predicts_the_test_set(write, tmp_path, rng):
    x, query = rng.normal(size=(9, 4)).astype(np.float32), rng.normal(size=(7, 4)).astype(np.float32)
    weight, bias = rng.normal(size=(3, 4)).astype(np.float32), rng.normal(size=3).astype(np.float32)
    layer = {"fc.weight": torch.from_numpy(weight), "fc.bias": torch.from_numpy(bias), "conv": torch.zeros(1)}
    save_file(layer, tmp_path / "net.safetensors")
    train, test = write("train.npz", x, np.arange(9) % 3), write("test.npz", query, np.arange(7) % 3)
    found = from_files("d", "b", train, test, tmp_path / "net.safetensors")
    scores = [[sum(row * line) + b for line, b in zip(weight, bias, strict=True)] for row in query]
    assert found.predicted.tolist() == np.argmax(scores, axis=1).tolist()


def test_sets_that_do_not_fit_are_refused(write):
    train = write("train.npz", np.eye(4), [0, 1, 0, 1])
    with pytest.raises(InputError, match="expected 4 features, as in training; got 3"):
        from_files("d", "b", train, write("narrow.npz", np.eye(3), [0, 1, 0]))
    with pytest.raises(InputError, match="expected test labels like those of training"):
        from_files("d", "b", train, write("names.npz", np.eye(4), ["0", "1", "0", "1"]))
    with pytest.raises(InputError, match="at least 2 classes"):
        from_files("d", "b", write("one.npz", np.eye(4), [1, 1, 1, 1]), train)


def test_unknown_names_and_absent_files_are_named(tmp_path, monkeypatch):
    with pytest.raises(
        InputError, match="expected a data set of cifar10, cifar100, or --train and --test; got 'mnist'"
    ):
        load_embeddings("mnist")
    monkeypatch.setenv("DIMCO_DATA", str(tmp_path))
    with pytest.raises(MissingFileError, match=r"no such file: .*cifar10_resnet20_train\.npz"):
        load_embeddings("cifar10")


@pytest.mark.parametrize(("name", "classes", "top1"), [("cifar10", 10, 92.04), ("cifar100", 100, 66.71)])
def test_the_embeddings_at_hand_are_of_the_network_that_they_say(name, classes, top1):
    try:
        data = load_embeddings(name)
    except MissingFileError as error:
        pytest.skip(str(error))
    assert (data.x.shape, data.query.shape, data.classes) == ((50_000, 64), (10_000, 64), classes)
    assert np.bincount(data.truth).tolist() == [10_000 // classes] * classes
    own = 100 * np.mean(data.predicted == data.truth)
    assert own == pytest.approx(top1, abs=0.011), "but for one item in 10,000, which float16 leaves undecided"
