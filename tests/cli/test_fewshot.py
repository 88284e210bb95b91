"""dimco fewshot: new classes from a few examples, as people ask for it."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PIL import Image

from dimco.backbones import ResNet20
from dimco.backbones.preprocessing import Preprocessing
from dimco.cli.app import run
from dimco.fewshot import DimcoFewShot, Rule
from dimco.heads import LinearHead
from dimco.model import CodeModel
from dimco.spec import CodeSpec

COLOURS = {"green": (0, 200, 0), "red": (220, 0, 0)}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A model of pictures, two examples of each of two colours, and queries by class and plain."""
    folder = tmp_path_factory.mktemp("fewshot")
    preprocessing = Preprocessing(16, 16, 255.0, (128.0, 128.0, 128.0), (60.0, 60.0, 60.0))
    CodeModel(ResNet20(preprocessing), LinearHead(64, CodeSpec(8, 16))).save(folder / "model")
    rng = np.random.default_rng(0)
    for name, colour in COLOURS.items():
        for part, items in (("support", 2), ("query", 3)):
            (folder / part / name).mkdir(parents=True)
            for item in range(items):
                pixels = (np.array(colour) + rng.integers(0, 30, (16, 20, 3))).astype(np.uint8)
                Image.fromarray(pixels).save(folder / part / name / f"{item}.png")
    (folder / "plain").mkdir()
    Image.new("RGB", (16, 16), COLOURS["red"]).save(folder / "plain" / "new.png")
    return folder


def words(folder, query, *more):
    return ["fewshot", folder / "model", "--support", folder / "support", "--query", folder / query, *more]


def test_queries_by_class_give_an_accuracy(folder, as_json):
    found = as_json(*words(folder, "query", "--quiet"))
    assert found["accuracy"] == 100
    assert found["examples"] == {"green": 2, "red": 2}
    assert found["predictions"]["red/2.png"] == "red"
    assert (found["queries"], found["code"], found["rule"]) == (6, "8x16", "mean")


def test_plain_pictures_are_classified_without_an_accuracy(folder, as_json):
    found = as_json(*words(folder, "plain", "--rule", "nearest"))
    assert found["predictions"] == {"new.png": "red"}
    assert "accuracy" not in found


def test_people_see_a_line_a_query_and_nothing_else_when_quiet(folder, capsys):
    assert run([str(word) for word in words(folder, "plain", "-q")]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert [line.split() for line in captured.out.splitlines() if "png" in line] == [["new.png", "red"]]


def test_features_are_classified_as_the_library_does(trained, as_json):
    found = as_json(
        *("fewshot", trained / "model", "--support", trained / "test.npz", "--query", trained / "test.npz"),
        *("--rule", "match", "--temperature", "2", "--concentration", "0.5", "-q"),
    )
    with np.load(trained / "test.npz") as data:
        x, y = data["x"], data["y"]
    expected = DimcoFewShot(CodeModel.load(trained / "model"), Rule("match", 0.5, 2.0)).fit(x, y).predict(x)
    assert list(found["predictions"].values()) == expected.tolist()
    assert found["accuracy"] == pytest.approx(100 * (expected == y).mean())


def test_errors_are_one_line(folder, trained, error_of, tmp_path):
    assert error_of(*words(folder, "absent")) == (2, f"error: no such file or folder: {folder / 'absent'}")
    swapped = ["fewshot", folder / "model", "--support", folder / "plain", "--query", folder / "query"]
    code, line = error_of(*swapped)
    assert (code, "a sub-folder for each class of examples" in line) == (2, True)
    code, line = error_of(*words(folder, "query", "--rule", "best"))
    assert (code, "nearest" in line) == (2, True)
    code, line = error_of(*words(folder, "query", "--temperature", "0"))
    assert (code, "expected a temperature above 0" in line) == (2, True)
    (tmp_path / "query" / "blue").mkdir(parents=True)
    Image.new("RGB", (16, 16)).save(tmp_path / "query" / "blue" / "a.png")
    code, line = error_of("fewshot", folder / "model", "--support", folder / "support", "--query", tmp_path / "query")
    assert (code, line.endswith("has blue as well")) == (2, True)
    code, line = error_of(
        "fewshot", trained / "model", "--support", folder / "support", "--query", trained / "test.npz"
    )
    assert (code, "expected features for this model" in line) == (2, True)


def test_json_is_one_object(folder, capsys):
    assert run([str(word) for word in words(folder, "plain", "--json", "-q")]) == 0
    assert json.loads(capsys.readouterr().out)["queries"] == 1
