"""dimco reproduce retrieval, as people ask for it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from dimco.experiments.retrieval import query_time
from dimco.experiments.search_bench.timing import Pace


@pytest.fixture
def words(tmp_path, monkeypatch):
    """What every command is given: features of twelve classes."""
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(12), 15)
    np.savez(tmp_path / "birds.npz", x=rng.normal(size=(12, 24))[labels] + 0.5 * rng.normal(size=(180, 24)), y=labels)
    quick = {mode: Pace(3, 2, mode == "batch", 0.05, 0.1) for mode in ("single", "batch")}
    monkeypatch.setattr(query_time, "_PACES", quick)
    target = tmp_path / "made" / "r.json"
    return ["--dataset", tmp_path / "birds.npz", "--frozen", "-o", target, "--device", "cpu", "--epochs", 1, "--quiet"]


def test_codes_and_embeddings_are_trained_once_and_timed(words, tmp_path, as_json):
    pytest.importorskip("faiss")
    command = ["reproduce", "retrieval", "--methods", "dimco-infomax,triplet", "--codes", "4x8", *words]
    command += ["--models", tmp_path / "models"]
    found = as_json(*command)
    assert (found["results"], found["jobs"]) == (str(tmp_path / "made" / "r.json"), 4)
    assert set(found["recall@1"]) == {"triplet floats-128, 4,096 bits", "dimco-infomax 4x8, 16 bits"}
    assert set(found["ms_per_query"]) == {"dimco 4x8", "numpy-flat-l2", "faiss-flat-l2", "faiss-flat-l2-512"}
    assert (tmp_path / "models" / "birds-frozen-dimco-infomax-4x8-0.safetensors").exists()
    content = json.loads((tmp_path / "made" / "r.json").read_text())
    times = [row for row in content["rows"] if row["metric"] == "ms_per_query"]
    assert {row["codes"] for row in times if row["k"]} == {"birds-frozen"}
    assert as_json(*command)["jobs"] == 4
    again = json.loads((tmp_path / "made" / "r.json").read_text())
    assert again["jobs"] == content["jobs"]


def test_time_alone_needs_no_data_of_the_paper(words, tmp_path, as_json, monkeypatch):
    pytest.importorskip("faiss")
    monkeypatch.setitem(query_time.ITEMS, "cars", 200)
    found = as_json("reproduce", "retrieval", "--time-only", "--codes", "2x8", *words, "--dataset", "cars")
    assert (found["jobs"], found["recall@1"]) == (0, {})
    assert "dimco 2x8" in found["ms_per_query"]


def test_wrong_names_are_one_line(words, tmp_path, error_of):
    code, line = error_of("reproduce", "retrieval", "--methods", "magic", *words)
    assert (code, line[:41]) == (2, "error: expected methods of dimco-infomax,")
    code, line = error_of("reproduce", "retrieval", "--codes", "64", *words)
    assert code == 2
    code, line = error_of("reproduce", "retrieval", *words, "--dataset", tmp_path / "absent.npz")
    assert (code, line) == (2, f"error: no such file: {tmp_path / 'absent.npz'}")


def test_pixels_need_weights(words, tmp_path, error_of, monkeypatch):
    monkeypatch.setenv("DIMCO_DATA", str(tmp_path))
    np.save(tmp_path / "cub.npy", np.zeros((8, 3, 256, 256), np.uint8))
    np.save(tmp_path / "cub.labels.npy", np.repeat(np.arange(4), 2))
    (tmp_path / "cub.classes.json").write_text('["a", "b", "c", "d"]')
    code, line = error_of("reproduce", "retrieval", "-o", tmp_path / "r.json", "--quiet")
    weights = tmp_path / "weights" / "resnet50_imagenet_v1.safetensors"
    assert (code, line) == (2, f"error: no such file: {weights}; name the ResNet-50's weights with --weights")


def test_a_failing_training_is_a_failure(words, error_of):
    code, line = error_of("reproduce", "retrieval", "--methods", "dimco-infomax", "--codes", "64x64", *words)
    assert code == 1
    assert "2 jobs failed: birds-frozen:dimco-infomax:select" in line
