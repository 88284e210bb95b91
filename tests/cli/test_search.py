"""dimco search: neighbours as a table, as JSON and as files."""

from __future__ import annotations

import json

import numpy as np
import pandas
import pytest

from dimco import CodeIndex, CodeModel, CodeSpec, Where
from dimco.cli import queries as command
from dimco.cli.app import run
from dimco.cli.neighbours_file import records
from dimco.search.neighbours import Neighbours


@pytest.fixture
def asked(trained, index):
    return "search", trained / "model", index, trained / "test.npz"


@pytest.fixture
def expected(trained, index):
    """What the library finds for the same queries.

    The network takes `batch` of them at a time: matrix products of another height may round the last bit otherwise.
    """
    with np.load(trained / "test.npz") as data:
        x = data["x"]

    def expected(n, where=None, batch=100):
        return CodeIndex.open(index).search(CodeModel.load(trained / "model").log_probs(x, batch), n, where)

    return expected


def test_json_has_every_neighbour_of_every_query(asked, expected, as_json, monkeypatch):
    monkeypatch.setattr(command, "_TABLE_ENTRIES", 32 * 12)
    result = as_json(*asked, "-n", 3)
    assert (result["queries"], result["neighbours"], result["items"]) == (100, 3, 300)
    assert result["results"] == list(records(expected(3, batch=32)))
    np.testing.assert_allclose([found["score"] for found in result["results"]], expected(3).scores.ravel(), atol=1e-5)
    assert result["results"][4].keys() == {"query", "rank", "id", "label", "score"}
    assert (result["results"][4]["query"], result["results"][4]["rank"]) == (1, 2)


def test_long_work_shows_progress_unless_quiet(asked, capsys, monkeypatch):
    monkeypatch.setattr(command, "_TABLE_ENTRIES", 32 * 12)
    assert run([str(part) for part in asked]) == 0
    assert "100 of 100 queries" in capsys.readouterr().err
    assert run([*map(str, asked), "-q"]) == 0
    assert capsys.readouterr().err == ""


def test_filters_hold_together(asked, expected, as_json, tmp_path):
    np.save(tmp_path / "ids.npy", np.arange(100))
    chosen = ("--label", 1, "--label", 2, "--ids-file", tmp_path / "ids.npy", "--not-ids", "3,4,5")
    where = Where(ids=range(100), labels=[1, 2], not_ids=[3, 4, 5])
    assert as_json(*asked, *chosen)["results"] == list(records(expected(10, where)))


@pytest.mark.parametrize("options", [("--kernel", "torch"), ("--threads", "2"), ("--threads", "1")])
def test_kernel_and_threads_change_nothing(asked, expected, as_json, options):
    assert as_json(*asked, *options)["results"] == list(records(expected(10)))


def test_people_get_a_table_of_the_first_queries(asked, capsys):
    assert run([*map(str, asked), "-n", "2"]) == 0
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    assert lines[0].split() == ["query", "rank", "id", "label", "score"]
    assert len(lines) == 1 + 10 * 2
    assert lines[1].split()[:2] == ["0", "1"]
    assert "and 90 more queries" in captured.err


def test_files_hold_all_of_it(asked, expected, as_json, tmp_path):
    found = expected(4)
    for name in ("a.npz", "a.parquet", "a.json"):
        result = as_json(*asked, "-n", 4, "-o", tmp_path / name)
        assert result["output"] == str(tmp_path / name)
        assert "results" not in result
    with np.load(tmp_path / "a.npz") as stored:
        for name in ("ids", "scores", "labels"):
            np.testing.assert_array_equal(stored[name], getattr(found, name))
    assert json.loads((tmp_path / "a.json").read_text()) == {"neighbours": list(records(found))}
    assert pandas.read_parquet(tmp_path / "a.parquet").to_dict("records") == list(records(found))


def test_without_labels_there_is_no_column_of_them(trained, capsys, tmp_path):
    index = CodeIndex(CodeModel.load(trained / "model").spec)
    index.add([[0, 1, 2], [3, 2, 1]])
    index.save(tmp_path / "bare")
    search = ["search", str(trained / "model"), str(tmp_path / "bare"), str(trained / "test.npz"), "-q"]
    assert run(search) == 0
    captured = capsys.readouterr()
    assert captured.out.splitlines()[0].split() == ["query", "rank", "id", "score"]
    assert captured.err == ""
    for name, columns in (("a.npz", {"ids", "scores"}), ("a.parquet", {"query", "rank", "id", "score"})):
        assert run([*search, "-o", str(tmp_path / name)]) == 0
        read = pandas.read_parquet if name.endswith("parquet") else np.load
        assert set(read(tmp_path / name)) == columns


def test_a_score_of_minus_infinity_is_null_in_json():
    found = Neighbours(np.array([[4]]), np.array([[-np.inf]]), None)
    assert list(records(found)) == [{"query": 0, "rank": 1, "id": 4, "score": None}]


def test_wrong_use_exits_with_2_and_one_line(trained, index, asked, error_of, tmp_path):
    cases = {
        ("search", trained / "other", index, trained / "test.npz"): "expected a model of 4x3 codes, as in",
        ("search", trained / "model", trained / "codes", trained / "test.npz"): "is not a dimco index file",
        ("search", index, index, trained / "test.npz"): "expected another kind of dimco file",
        ("search", trained / "model", index, tmp_path / "absent.npz"): "no such file",
        (*asked, "-n", 0): "-n",
        (*asked, "-o", tmp_path / "out.txt"): "expected .npz, .parquet or .json to write neighbours to; got out.txt",
        (*asked, "--kernel", "abacus"): "abacus",
        (*asked, "--label", "cat"): "expected integers in --label, as the index holds; got 'cat'",
    }
    for arguments, message in cases.items():
        code, line = error_of(*arguments)
        assert code == 2, (arguments, line)
        assert message in line, (arguments, line)


def test_a_folder_that_is_not_there_is_a_failure_before_the_work(asked, error_of, tmp_path, monkeypatch):
    monkeypatch.setattr(CodeIndex, "search", None)
    code, line = error_of(*asked, "-o", tmp_path / "absent" / "out.npz")
    assert (code, "no folder" in line) == (1, True)


def test_an_empty_index_answers_with_no_neighbours(trained, as_json, capsys, tmp_path):
    CodeIndex(CodeSpec(4, 3)).save(tmp_path / "empty")
    search = ("search", trained / "model", tmp_path / "empty", trained / "test.npz")
    assert as_json(*search)["results"] == []
    assert run([str(part) for part in search]) == 0


def test_an_interrupted_search_exits_with_130(asked, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(CodeIndex, "search", interrupted)
    assert run([str(part) for part in asked]) == 130


def test_ids_to_leave_out_that_are_none_are_named_by_their_option(trained, index, error_of):
    code, line = error_of("search", trained / "model", index, trained / "test.npz", "--not-ids", "1,,2")
    assert (code, line) == (2, "error: expected integers in --not-ids; got ''")
