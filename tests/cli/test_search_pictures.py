"""dimco search with pictures: the neighbours of photos, and a contact sheet of them."""

from __future__ import annotations

import json

import numpy as np
import pandas
import pytest
import torch

pytest.importorskip("PIL", reason="searching with pictures needs the extra images")

from PIL import Image

from dimco import CodeIndex, CodeModel, CodeSpec, LinearHead
from dimco.backbones import ResNet20, Standardize
from dimco.backbones.preprocessing import Preprocessing
from dimco.backbones.pretrained import PRETRAINED, load_pretrained
from dimco.cli.app import run

SPEC, CLASSES, EACH = CodeSpec(k=8, d=3), ("ant", "bee", "cat"), 4


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Pictures by class, the same as an array, a model that takes pictures, and one that takes ResNet-20's features."""
    folder = tmp_path_factory.mktemp("pictures")
    rng = np.random.default_rng(0)
    torch.manual_seed(0)
    pixels = rng.integers(0, 256, (len(CLASSES) * EACH, 12, 12, 3)).astype(np.uint8)
    for item, image in enumerate(pixels):
        place = folder / "photos" / CLASSES[item // EACH]
        place.mkdir(parents=True, exist_ok=True)
        Image.fromarray(image).save(place / f"{item:02}.png")
    labels = np.repeat(np.arange(len(CLASSES)), EACH)
    np.savez(folder / "photos.npz", x=pixels, y=labels, classes=CLASSES)
    preprocessing = Preprocessing(8, 8, 255.0, (125.0, 125.0, 125.0), (60.0, 60.0, 60.0))
    CodeModel(ResNet20(preprocessing).eval(), LinearHead(64, SPEC)).eval().save(folder / "model")
    return folder


@pytest.fixture(scope="module")
def built(home):
    assert run(["index", "build", str(home / "model"), str(home / "photos"), "-o", str(home / "index"), "-q"]) == 0
    return home


@pytest.fixture
def asked(built, monkeypatch, tmp_path):
    """In a folder of its own, for sheets are written there by default."""
    monkeypatch.chdir(tmp_path)
    return "search", built / "model", built / "index"


def model_inputs(home):
    """What the model takes of the pictures, by hand: resized to 8 x 8, channels first."""
    with np.load(home / "photos.npz") as data:
        small = [np.asarray(Image.fromarray(x).resize((8, 8), Image.Resampling.BILINEAR)) for x in data["x"]]
    return np.stack(small).transpose(0, 3, 1, 2).astype(np.float32)


def test_a_folder_by_class_is_indexed_by_a_model_of_pictures(built):
    index = CodeIndex.open(built / "index")
    expected = CodeModel.load(built / "model").encode(model_inputs(built)).unpack()
    np.testing.assert_array_equal(index.reconstruct(index.ids), expected)
    assert index.labels.tolist() == [name for name in CLASSES for _ in range(EACH)]


def test_an_array_of_pictures_gives_the_same_codes(built, tmp_path, as_json):
    as_json("index", "build", built / "model", built / "photos.npz", "-o", tmp_path / "a")
    one, other = CodeIndex.open(built / "index"), CodeIndex.open(tmp_path / "a")
    np.testing.assert_array_equal(one.reconstruct(one.ids), other.reconstruct(other.ids))
    assert other.labels.tolist() == [0] * 4 + [1] * 4 + [2] * 4


def test_a_picture_finds_itself_and_says_which_positions_agree(built, asked, as_json):
    result = as_json(*asked, built / "photos" / "bee" / "06.png", "-n", 12)
    tables = CodeModel.load(built / "model").log_probs(model_inputs(built)).double().numpy()
    codes = tables.argmax(-1)
    scores = [sum(tables[6, i, codes[item, i]] for i in range(3)) for item in range(12)]
    assert [found["id"] for found in result["results"]] == sorted(range(12), key=lambda item: (-scores[item], item))
    for found in result["results"]:
        assert found["agree"] == [i for i in range(3) if codes[6, i] == codes[found["id"], i]]
        assert (found["picture"].endswith("06.png"), found["label"]) == (True, CLASSES[found["id"] // EACH])
    assert "sheet" not in result


def test_several_pictures_and_folders_are_asked_in_their_order(built, asked, as_json):
    result = as_json(*asked, built / "photos" / "cat", built / "photos" / "ant" / "01.png", "-n", 1)
    names = [found["picture"].rsplit("/", 1)[1] for found in result["results"]]
    assert names == ["08.png", "09.png", "10.png", "11.png", "01.png"]


def test_with_images_a_sheet_is_written_and_named(built, asked, capsys, tmp_path):
    photo = built / "photos" / "ant" / "00.png"
    assert run([*map(str, (*asked, photo, "-n", 3, "--images", built / "photos.npz"))]) == 0
    printed = capsys.readouterr()
    assert "wrote neighbours.png" in printed.err
    lines = printed.out.splitlines()
    assert lines[0].split() == ["query", "rank", "id", "label", "score", "positions", "that", "agree"]
    assert lines[1].split()[0] == "00.png"
    assert lines[1].split()[5:] == ["3", "of", "3:", "0", "1", "2"], "the picture itself, or one of the same code"
    with Image.open(tmp_path / "neighbours.png") as sheet:
        assert sheet.width > 4 * 150


def test_a_sheet_may_have_another_name_and_no_pictures_of_the_stored(built, asked, as_json, tmp_path):
    for name in ("mine.svg", "mine.pdf", "mine.png"):
        assert as_json(*asked, built / "photos" / "ant", "-n", 2, "--sheet", tmp_path / name)["sheet"].endswith(name)
        assert (tmp_path / name).stat().st_size > 1_000
    assert "<svg" in (tmp_path / "mine.svg").read_text()


def test_features_of_a_network_are_searched_with_pictures_through_it(built, asked, as_json, tmp_path):
    name_in_file = PRETRAINED["resnet20-cifar10"].name_in_file
    torch.manual_seed(1)
    state = {name_in_file(name): value for name, value in ResNet20().state_dict().items()}
    torch.save(state | {"fc.weight": torch.rand(10, 64), "fc.bias": torch.rand(10)}, tmp_path / "w.pth")
    model = CodeModel(Standardize(64), LinearHead(64, SPEC)).eval()
    model.save(tmp_path / "features")
    index = CodeIndex(SPEC)
    index.add(np.random.default_rng(0).integers(0, 8, (20, 3)))
    index.save(tmp_path / "index")
    photos = built / "photos" / "ant"
    asked = ("search", tmp_path / "features", tmp_path / "index", photos, "-n", 2)
    result = as_json(*asked, "--backbone", "resnet20-cifar10", "--weights", tmp_path / "w.pth")
    large = [Image.open(file).resize((32, 32), Image.Resampling.BILINEAR) for file in sorted(photos.iterdir())]
    pixels = torch.from_numpy(np.stack(large)).permute(0, 3, 1, 2).float()
    with torch.inference_mode():
        features = load_pretrained("resnet20-cifar10", tmp_path / "w.pth")(pixels)
    expected = index.search(model.log_probs(features), 2)
    assert [found["id"] for found in result["results"]] == expected.ids.ravel().tolist()
    assert "label" not in result["results"][0]


def test_files_hold_the_pictures_and_what_agrees(built, asked, as_json, tmp_path):
    photos = built / "photos" / "bee"
    records = as_json(*asked, photos, "-n", 2)["results"]
    for name in ("a.npz", "a.parquet", "a.json"):
        as_json(*asked, photos, "-n", 2, "-o", tmp_path / name)
    assert json.loads((tmp_path / "a.json").read_text()) == {"neighbours": records}
    table = pandas.read_parquet(tmp_path / "a.parquet")
    assert [row.tolist() for row in table["agree"]] == [record["agree"] for record in records]
    assert table["picture"].tolist() == [record["picture"] for record in records]
    with np.load(tmp_path / "a.npz") as stored:
        assert stored["pictures"].tolist() == [record["picture"] for record in records[::2]]
        assert np.flatnonzero(stored["agree"][1, 1]).tolist() == records[3]["agree"]


def test_wrong_use_exits_with_one_line(trained, index, built, asked, error_of, tmp_path):
    (tmp_path / "bad.png").write_bytes(b"no picture")
    (tmp_path / "empty").mkdir()
    np.save(tmp_path / "few.npy", np.zeros((2, 4, 4), np.uint8))
    photo, features = built / "photos" / "ant" / "00.png", trained / "test.npz"
    of_features = ("search", trained / "model", index)
    cases = {
        (*of_features, photo): (2, "this model takes no pictures"),
        (*of_features, features, "--sheet", "a.png"): (2, "expected pictures as queries with --images or --sheet"),
        (*of_features, features, features): (2, "expected one file of features, or pictures; got 2 files"),
        (*of_features, features, photo): (2, "expected pictures alone, or features alone"),
        (*of_features, photo, "--backbone", "resnet50"): (2, "--backbone and --weights together"),
        (*of_features, photo, "--backbone", "vgg", "--weights", "w"): (2, "expected a pretrained backbone of"),
        (*asked, tmp_path / "bad.png"): (1, "bad.png cannot be read as an image"),
        (*asked, tmp_path / "empty"): (2, "expected images"),
        (*asked, tmp_path / "absent.jpg"): (2, "no such file"),
        (*asked, photo, "--sheet", tmp_path / "a.txt"): (2, "to write the contact sheet to; got a.txt"),
        (*asked, photo, "--sheet", tmp_path / "none" / "a.png"): (1, "no folder"),
        (*asked, photo, "--images", tmp_path / "few.npy"): (2, "expected an image for each id found"),
        (*asked, photo, "--images", tmp_path / "absent"): (2, "no such file or folder"),
    }
    for arguments, (expected, message) in cases.items():
        code, line = error_of(*arguments)
        assert (code, message in line) == (expected, True), (arguments, line)
