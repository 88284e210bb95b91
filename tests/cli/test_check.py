"""dimco check: whole files pass, damaged ones exit with 1 and say what is wrong."""

from __future__ import annotations

import contextlib
import json
import signal

import numpy as np
import pytest
import torch

from dimco import CodeModel, CodeSpec, LinearHead
from dimco.embedding_file import embedding_file


@pytest.fixture
def embeddings(tmp_path, rng):
    """Embeddings as .npy with what stands beside them, and as .npz."""
    for name in ("e.npy", "e2.npz"):
        with embedding_file(tmp_path / name, 5, "float32", {"backbone": "resnet20"}) as append:
            append(rng.normal(size=(40, 5)), np.arange(40) % 4)
    return tmp_path


@pytest.mark.parametrize(("name", "kind"), [("model", "model"), ("codes", "codes")])
def test_what_dimco_wrote_is_whole(trained, as_json, name, kind):
    result = as_json("check", trained / name)
    assert (result["kind"], result["whole"]) == (kind, True)
    assert result["file_bytes"] == (trained / name).stat().st_size


def test_an_index_is_whole(index, as_json):
    assert as_json("check", index)["kind"] == "index"


@pytest.mark.parametrize("name", ["e.npy", "e.json", "e2.npz"])
def test_embeddings_are_whole(embeddings, as_json, name):
    assert as_json("check", embeddings / name)["kind"] == "embeddings"


def test_a_checkpoint_is_whole(trained, as_json, tmp_path, monkeypatch):
    from dimco.cli import fit
    from dimco.cli.app import run

    @contextlib.contextmanager
    def interrupting():
        yield lambda _: signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(fit, "progress_bar", interrupting)
    assert run(["fit", str(trained / "train.npz"), "-o", str(tmp_path / "m"), "--epochs", "3"]) == 130
    assert as_json("check", tmp_path / "m.checkpoint")["kind"] == "checkpoint"


def test_a_model_around_a_network_of_ones_own_is_checked_by_its_checksum(as_json, tmp_path):
    CodeModel(torch.nn.Sequential(torch.nn.Linear(3, 3)), LinearHead(3, CodeSpec(4, 2))).save(tmp_path / "own")
    assert as_json("check", tmp_path / "own")["whole"]


@pytest.mark.parametrize("name", ["model", "codes", "index"])
def test_a_flipped_bit_anywhere_is_found(trained, index, error_of, tmp_path, name):
    data = (index if name == "index" else trained / name).read_bytes()
    for place in np.linspace(0, len(data) - 1, 9).astype(int):
        (tmp_path / "damaged").write_bytes(data[:place] + bytes([data[place] ^ 4]) + data[place + 1 :])
        code, line = error_of("check", tmp_path / "damaged")
        assert (code, "is damaged" in line) == (1, True) or "not a dimco" in line, (place, line)


@pytest.mark.parametrize(("fact", "value"), [("items", 41), ("features", 4), ("dtype", "float16")])
def test_embeddings_that_are_not_what_stands_beside_them_are_damaged(embeddings, error_of, fact, value):
    facts = json.loads((embeddings / "e.json").read_text())
    (embeddings / "e.json").write_text(json.dumps({**facts, fact: value}))
    code, line = error_of("check", embeddings / "e.npy")
    assert (code, f"e.json says {fact} {value}; got" in line) == (1, True)


def test_cut_embeddings_are_damaged(embeddings, error_of):
    for name in ("e.npy", "e2.npz"):
        (embeddings / name).write_bytes((embeddings / name).read_bytes()[:-30])
        assert error_of("check", embeddings / name)[0] == 1
    (embeddings / "e.json").write_text("{")
    code, line = error_of("check", embeddings / "e.json")
    assert (code, "e.json is damaged" in line) == (1, True)


def test_other_files_are_wrong_use(error_of, tmp_path):
    (tmp_path / "text").write_text("something long enough to read")
    (tmp_path / "other.json").write_text("[]")
    for name, message in (("text", "is not a dimco file"), ("absent", "no such file"), ("other.json", "is other JSON")):
        code, line = error_of("check", tmp_path / name)
        assert (code, message in line) == (2, True), line
    assert error_of("check", tmp_path)[0] == 2
