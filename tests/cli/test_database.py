"""dimco database, as people type it, on Qdrant's embedded engine."""

import json
import sys

import pytest

from dimco import CodeIndex, CodeModel
from dimco.cli.app import run
from dimco.datasets import load_data


@pytest.fixture
def at(tmp_path):
    pytest.importorskip("qdrant_edge", reason="needs qdrant-edge-py: pip install 'dimco[qdrant]'")
    folder = tmp_path / "qdrant"
    folder.mkdir()
    return "--engine", "qdrant", "--at", folder


def test_what_is_pushed_is_found_as_in_the_index(trained, index, at, as_json, tmp_path):
    result = as_json("database", "push", index, *at, "-q")
    assert (result["items"], result["written"], result["unchanged"]) == (300, 300, 0)
    assert as_json("database", "push", index, *at)["unchanged"] == 300
    assert as_json("database", "remove", *at, "--ids", "7,9,12345")["removed"] == 2
    opened = CodeIndex.open(index)
    opened.remove([7, 9])
    output = tmp_path / "found.json"
    as_json("database", "search", trained / "model", trained / "test.npz", *at, "-n", "4", "-o", output)
    tables = CodeModel.load(trained / "model").log_probs(load_data(trained / "test.npz").x)
    expected = opened.search(tables, 4)
    found = json.loads(output.read_text())["neighbours"]
    assert [record["id"] for record in found] == expected.ids.reshape(-1).tolist()
    assert [record["label"] for record in found] == expected.labels.reshape(-1).tolist()
    assert [record["score"] for record in found] == expected.scores.reshape(-1).tolist()


def test_wrong_use_exits_with_2_and_one_line(trained, index, at, error_of, tmp_path):
    assert run(["database", "push", str(index), *map(str, at), "-q"]) == 0
    other = ("database", "search", trained / "other", trained / "test.npz", *at, "-o", tmp_path / "x.json")
    cases = {
        other: "expected a model of 4x3 codes, as in codes",
        ("database", "push", index, *at, "--collection", "no/name"): "letters, digits and underscores; got 'no/name'",
        ("database", "remove", *at): "expected items to remove by --ids or --ids-file",
    }
    for arguments, message in cases.items():
        code, line = error_of(*arguments)
        assert (code, message in line) == (2, True), line


def test_a_database_out_of_reach_exits_with_1_and_names_the_address(trained, index, at, error_of, tmp_path):
    nowhere = tmp_path / "nowhere"
    asked = ("database", "search", trained / "model", trained / "test.npz", *at, "-o", tmp_path / "x.json")
    cases = {
        ("database", "push", index, "--engine", "qdrant", "--at", nowhere): f"cannot reach qdrant at {nowhere}",
        asked: f"expected a collection codes at {at[-1]}; there is none",
    }
    for arguments, message in cases.items():
        code, line = error_of(*arguments)
        assert (code, message in line) == (1, True), line
    assert not nowhere.exists()
    assert list(at[-1].iterdir()) == []


def test_without_the_client_one_line_names_the_extra(index, error_of, tmp_path, monkeypatch):
    for engine, module in {"qdrant": "qdrant_edge", "milvus": "pymilvus", "postgres": "psycopg"}.items():
        monkeypatch.setitem(sys.modules, module, None)
        code, line = error_of("database", "push", index, "--engine", engine, "--at", tmp_path / "x.db")
        assert (code, f"pip install 'dimco[{engine}]'" in line) == (1, True), line
