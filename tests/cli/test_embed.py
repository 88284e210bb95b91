"""dimco embed: from a folder of images to a code."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch
from PIL import Image

from dimco.backbones import ResNet20
from dimco.backbones.pretrained import PRETRAINED
from dimco.cli.app import run

KIND = "resnet20-cifar100"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("embed")
    rng = np.random.default_rng(0)
    for name, colour in (("blue", (0, 0, 200)), ("red", (200, 0, 0))):
        (folder / "images" / name).mkdir(parents=True)
        for i in range(6):
            pixels = (np.array(colour) + rng.integers(0, 50, (40, 50, 3))).astype(np.uint8)
            Image.fromarray(pixels).save(folder / "images" / name / f"{i}.png")
    state = ResNet20().state_dict()
    torch.save({PRETRAINED[KIND].name_in_file(name): value for name, value in state.items()}, folder / "w.pt")
    return folder


def _embed(folder, output, *options):
    words = ["embed", folder / "images", "-o", output, "--backbone", KIND, "--weights", folder / "w.pt", *options]
    return run([str(word) for word in words])


def test_embed_then_fit_finds_the_labels(folder, tmp_path, capsys):
    assert _embed(folder, tmp_path / "e.npy", "--json", "--quiet", "--batch-size", 5) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    result = json.loads(captured.out)
    assert {"embeddings", "items", "skipped", "classes", "features", "images_per_second"} <= set(result)
    assert (result["items"], result["classes"], result["features"], result["dtype"]) == (12, 2, 64, "float16")
    fit = ["fit", str(tmp_path / "e.npy"), "-o", str(tmp_path / "m"), "--k", "2", "--d", "2", "--epochs", "1", "-q"]
    assert run(fit) == 0
    assert run([*fit, "--labels", str(tmp_path / "e.labels.npy")]) == 0
    assert run(["info", str(tmp_path / "e.json"), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (facts["classes"], facts["backbone"], facts["weights"]) == (["blue", "red"], KIND, "w.pt")


def test_the_same_command_writes_the_same_rows_and_one_npz(folder, tmp_path):
    assert _embed(folder, tmp_path / "a.npy", "-q") == 0
    assert _embed(folder, tmp_path / "b.npz", "-q", "--workers", 1) == 0
    with np.load(tmp_path / "b.npz") as archive:
        np.testing.assert_array_equal(archive["x"], np.load(tmp_path / "a.npy"))
        assert archive["classes"][archive["y"]].tolist() == ["blue"] * 6 + ["red"] * 6


def test_progress_is_plain_lines_where_there_is_no_terminal(folder, tmp_path, capsys):
    assert _embed(folder, tmp_path / "a.npy", "--batch-size", 6) == 0
    captured = capsys.readouterr()
    assert "12 images of 2 classes" in captured.err
    assert "6 of 12 images\n12 of 12 images" in captured.err
    assert "12" in captured.out


def test_errors_are_one_line(folder, tmp_path, capsys):
    damaged = tmp_path / "images" / "class"
    damaged.mkdir(parents=True)
    (damaged / "a.png").write_bytes(b"no image")
    weights, images, out = folder / "w.pt", folder / "images", tmp_path / "e.npy"
    cases = {
        (images, out, "resnet9", weights): (2, "expected a pretrained backbone of resnet20-cifar10"),
        (images, out, "resnet50", weights): (2, "it has no conv1.weight"),
        (images, out, KIND, tmp_path / "absent.pt"): (2, "no such weights file"),
        (images, tmp_path / "e.csv", KIND, weights): (2, "expected .npy or .npz"),
        (tmp_path / "absent", out, KIND, weights): (2, "no such folder"),
        (damaged, out, KIND, weights): (2, "expected a sub-folder of images"),
        (damaged.parent, out, KIND, weights): (1, "a.png cannot be read as an image"),
    }
    for (source, output, backbone, file), (code, message) in cases.items():
        words = ["embed", source, "-o", output, "--backbone", backbone, "--weights", file, "--quiet"]
        assert run([str(word) for word in words]) == code
        lines = capsys.readouterr().err.splitlines()
        assert len(lines) == 1
        assert message in lines[0]
    assert not out.exists()


def test_damaged_images_are_skipped_and_counted_on_request(folder, tmp_path, capsys):
    for name, content in (("a", b"no image"), ("b", (folder / "images" / "red" / "0.png").read_bytes())):
        (tmp_path / "images" / "class").mkdir(parents=True, exist_ok=True)
        (tmp_path / "images" / "class" / f"{name}.png").write_bytes(content)
    words = ["embed", tmp_path / "images", "-o", tmp_path / "e.npy", "--backbone", KIND, "--weights", folder / "w.pt"]
    assert run([*map(str, words), "--skip-damaged", "--json"]) == 0
    captured = capsys.readouterr()
    assert (json.loads(captured.out)["items"], json.loads(captured.out)["skipped"]) == (1, 1)
    assert "skipped:" in captured.err
