"""Encoding collections from the command line, and indexes of what comes out."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dimco import CodeIndex
from dimco.cli.app import run


@pytest.fixture
def rows(trained, tmp_path):
    """The training rows of `trained` as parquet, with ids and a column of text."""
    data = np.load(trained / "train.npz")
    columns = {f"x{place}": data["x"][:, place] for place in range(data["x"].shape[1])}
    table = pa.table({**columns, "y": data["y"], "key": 5 * np.arange(300), "name": ["text"] * 300})
    pq.write_table(table, tmp_path / "rows.parquet")
    return tmp_path / "rows.parquet"


def _columns():
    return [option for place in range(6) for option in ("--features", f"x{place}")]


def test_a_collection_becomes_the_index_that_its_rows_become(trained, rows, as_json, tmp_path):
    folder = tmp_path / "codes"
    done = as_json("encode", trained / "model", rows, "-o", folder, "--engine", "local", "--ids", "key", *_columns())
    assert (done["items"], done["parts"], done["parts_kept"], done["engine"]) == (300, 1, 0, "local")
    as_json("index", "build", folder, "-o", tmp_path / "parts.index")
    as_json("index", "build", trained / "codes", "-o", tmp_path / "codes.index")
    found, expected = CodeIndex.open(tmp_path / "parts.index"), CodeIndex.open(tmp_path / "codes.index")
    np.testing.assert_array_equal(found.ids, 5 * expected.ids)
    np.testing.assert_array_equal(found.labels, expected.labels)
    np.testing.assert_array_equal(found.reconstruct(found.ids), expected.reconstruct(expected.ids))
    again = as_json("encode", trained / "model", rows, "-o", folder, "--engine", "local", "--ids", "key", *_columns())
    assert again["parts_kept"] == 1


def test_info_and_check_read_the_folder(trained, rows, as_json, error_of, tmp_path):
    folder = tmp_path / "codes"
    as_json("encode", trained / "model", rows, "-o", folder, "--engine", "local", *_columns())
    info = as_json("info", folder)
    part = folder / "part-00000000.parquet"
    assert (info["kind"], info["code"], info["items"], info["parts_written"]) == ("codes in parts", "4x3", 300, 1)
    assert info["file_bytes"] == part.stat().st_size
    assert as_json("check", folder)["whole"]
    part.write_bytes(part.read_bytes()[:-1])
    assert error_of("check", folder)[0] == 1


def test_an_exported_index_is_added_back(trained, index, as_json, tmp_path):
    as_json("export", index, "--to", "parquet", "-o", tmp_path / "out.parquet")
    as_json("index", "remove", index, "--ids", ",".join(map(str, range(300))))
    assert as_json("index", "add", index, tmp_path / "out.parquet")["items"] == 300


def test_progress_is_said_in_lines(trained, rows, capsys, tmp_path):
    arguments = ["encode", trained / "model", rows, "-o", tmp_path / "codes", "--engine", "local", *_columns()]
    assert run([*map(str, arguments)]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert lines == ["300 items in 1 part -> 4x3", "300 of 300 items"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--ids", "key"], "expected --engine with --ids"),
        (["--features", "x0"], "expected --engine with --features"),
        (["--workers", "2"], "expected --engine ray with --workers"),
        (["--engine", "local", "--address", "here:1"], "expected --engine ray with --address"),
        (["--engine", "local"], "expected numbers, or lists of them, in column 'name'"),
        (["--engine", "local", "--features", "x0"], "expected 6 features, as in training; got 1"),
        (["--engine", "local", "--weights", "w"], "expected --backbone and --weights together; got one of them"),
        (["--engine", "ray", *_columns(), "--address", "here"], "expected the address of a Ray cluster as HOST:PORT"),
    ],
)
def test_wrong_use_is_said_in_one_line(trained, rows, error_of, tmp_path, options, message):
    code, line = error_of("encode", trained / "model", rows, "-o", tmp_path / "codes", *options)
    assert code == 2
    assert message in line
    assert not (tmp_path / "codes").exists()


def test_a_cluster_that_does_not_answer_is_named(trained, rows, error_of, tmp_path):
    pytest.importorskip("ray", reason="needs Ray: pip install 'dimco[ray]'")
    where = ("-o", tmp_path / "codes", "--engine", "ray", "--address", "127.0.0.1:1")
    code, line = error_of("encode", trained / "model", rows, *_columns(), *where)
    assert (code, line) == (1, "error: no Ray cluster answers at 127.0.0.1:1: Connection refused")
    assert not (tmp_path / "codes").exists()
