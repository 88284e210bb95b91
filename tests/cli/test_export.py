"""dimco export, as people type it."""

from __future__ import annotations

import faiss
import numpy as np
import pandas

from dimco import CodeIndex


def test_each_kind_is_written_and_named(index, as_json, tmp_path):
    result = as_json("export", index, "--to", "npy", "-o", tmp_path / "out.npy")
    assert result["files"] == [str(tmp_path / name) for name in ("out.npy", "out.ids.npy", "out.labels.npy")]
    assert result["items"] == len(np.load(tmp_path / "out.npy")) == 300
    as_json("export", index, "--to", "parquet", "-o", tmp_path / "out.parquet")
    np.testing.assert_array_equal(pandas.read_parquet(tmp_path / "out.parquet")["label"], CodeIndex.open(index).labels)
    as_json("export", index, "--to", "faiss", "-o", tmp_path / "out.faiss")
    assert faiss.read_index(str(tmp_path / "out.faiss")).ntotal == 300


def test_wrong_use_exits_with_2_and_one_line(trained, index, error_of, tmp_path):
    out = ("-o", tmp_path / "out")
    cases = {
        ("export", index, "--to", "sqlite", *out): "Invalid value for '--to': 'sqlite' is not one of",
        ("export", index, "--to", "faiss", "-o", tmp_path): "is a folder",
        ("export", index, "--to", "npy", *out): "expected .npy to write symbols to; got out",
        ("export", index, *out): "--to",
        ("export", trained / "codes", "--to", "npy", *out): "is not a dimco index file",
    }
    for arguments, message in cases.items():
        code, line = error_of(*arguments)
        assert (code, message in line) == (2, True), line


def test_without_faiss_one_line_names_the_extra(index, error_of, tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "faiss", None)
    code, line = error_of("export", index, "--to", "faiss", "-o", tmp_path / "out")
    assert (code, "pip install 'dimco[faiss]'" in line) == (1, True)
