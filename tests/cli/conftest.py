"""Commands run as people type them, and a model with its data to run them on."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from dimco.cli.app import run


@pytest.fixture
def as_json(capsys):
    """The result of a command that succeeds, as its JSON."""

    def as_json(*arguments):
        capsys.readouterr()
        assert run([*map(str, arguments), "--json"]) == 0
        return json.loads(capsys.readouterr().out)

    return as_json


@pytest.fixture
def error_of(capsys):
    """The exit code of a command that fails, and its one line."""

    def error_of(*arguments):
        capsys.readouterr()
        code = run([*map(str, arguments)])
        captured = capsys.readouterr()
        lines = [line for line in captured.err.splitlines() if line.startswith("error: ")]
        assert len(lines) == 1, captured.err
        assert "Traceback" not in captured.err
        return code, lines[0]

    return error_of


@pytest.fixture(scope="session")
def trained(tmp_path_factory):
    """A folder with data in 4 classes, a model of it and its codes: train.npz, test.npz, model, other, codes."""
    folder = tmp_path_factory.mktemp("trained")
    X, y = make_blobs(400, 6, centers=4, random_state=0)
    np.savez(folder / "train.npz", x=X[:300], y=y[:300])
    np.savez(folder / "test.npz", x=X[300:], y=np.array([f"class {label}" for label in y[300:]]))
    for name, d in (("model", "3"), ("other", "2")):
        fit = ["fit", str(folder / "train.npz"), "-o", str(folder / name), "--k", "4", "--d", d, "--epochs", "5", "-q"]
        assert run(fit) == 0
    assert run(["encode", str(folder / "model"), str(folder / "train.npz"), "-o", str(folder / "codes"), "-q"]) == 0
    return folder


@pytest.fixture
def index(trained, tmp_path):
    """An index of the 300 training items."""
    path = tmp_path / "codes.index"
    assert run(["index", "build", str(trained / "codes"), "-o", str(path), "-q"]) == 0
    return path
