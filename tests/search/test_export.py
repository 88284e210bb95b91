"""What an index writes for other programs, read by those programs."""

from __future__ import annotations

import faiss
import numpy as np
import pandas
import pyarrow.parquet
import pytest

from dimco.errors import FileError, InputError
from dimco.search import export
from dimco.search.export import export_index, to_faiss
from dimco.search.faiss_export import faiss_queries
from dimco.search.index import CodeIndex
from dimco.spec import CodeSpec

SPEC = CodeSpec(16, 5)
LABELS = {"int": lambda n: np.arange(n) % 3, "str": lambda n: [f"c{i % 3}" for i in range(n)], "none": lambda n: None}


@pytest.fixture
def symbols(rng):
    return rng.integers(0, SPEC.k, (70, SPEC.d), dtype=np.uint8)


@pytest.fixture
def log_probs(rng):
    return np.log(rng.dirichlet(np.ones(SPEC.k), (4, SPEC.d))).astype(np.float32)


@pytest.fixture(params=LABELS)
def index(request, symbols, monkeypatch):
    """70 items with ids of their own, of which 10 are removed; written in parts of 13."""
    monkeypatch.setattr(export, "_CHUNK_SYMBOLS", 13 * SPEC.d)
    made = CodeIndex(SPEC)
    made.add(symbols, ids=np.arange(70)[::-1] * 3, labels=LABELS[request.param](70))
    made.remove(np.arange(10) * 3)
    return made


def test_npy_is_arrays_beside_each_other(index, symbols, tmp_path):
    files = export_index(index, "npy", tmp_path / "out.npy")
    names = ["out.npy", "out.ids.npy", *(["out.labels.npy"] if index.labels is not None else [])]
    assert [file.name for file in files] == names
    ids = np.load(tmp_path / "out.ids.npy")
    np.testing.assert_array_equal(ids, np.arange(10, 70) * 3)
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), symbols[69 - ids // 3])
    if index.labels is not None:
        np.testing.assert_array_equal(np.load(tmp_path / "out.labels.npy"), index.labels)


def test_labels_from_before_are_not_taken_for_those_of_an_index_without(symbols, tmp_path):
    index = CodeIndex(SPEC)
    index.add(symbols)
    np.save(tmp_path / "out.labels.npy", np.zeros(70))
    with pytest.raises(InputError, match=r"expected no .*out\.labels\.npy from before, as the index has no labels"):
        export_index(index, "npy", tmp_path / "out.npy")
    assert not (tmp_path / "out.npy").exists()


def test_parquet_is_a_table_of_id_label_and_code(index, symbols, tmp_path):
    assert export_index(index, "parquet", tmp_path / "out.parquet") == [tmp_path / "out.parquet"]
    table = pandas.read_parquet(tmp_path / "out.parquet")
    np.testing.assert_array_equal(table["id"], np.arange(10, 70) * 3)
    np.testing.assert_array_equal(np.stack(table["code"]), symbols[69 - table["id"] // 3])
    assert list(table.columns) == ["id", "code"] if index.labels is None else ["id", "label", "code"]
    if index.labels is not None:
        np.testing.assert_array_equal(table["label"].to_numpy(dtype=index.labels.dtype), index.labels)
    code = pyarrow.parquet.read_schema(tmp_path / "out.parquet").field("code").type
    assert (code.list_size, str(code.value_type)) == (SPEC.d, "uint8")


def test_faiss_finds_what_the_index_finds(index, log_probs, tmp_path):
    export_index(index, "faiss", tmp_path / "out.faiss")
    read = faiss.read_index(str(tmp_path / "out.faiss"))
    distances, ids = read.search(faiss_queries(log_probs), 10)
    found = index.search(log_probs, 10)
    np.testing.assert_allclose(distances, found.scores, rtol=1e-5)
    np.testing.assert_array_equal(ids, found.ids)


def test_ids_that_count_up_from_0_need_no_map(symbols, log_probs):
    index = CodeIndex(SPEC)
    index.add(symbols)
    made = to_faiss(index)
    assert isinstance(made, faiss.IndexPQ)
    np.testing.assert_array_equal(made.search(faiss_queries(log_probs), 5)[1], index.search(log_probs, 5).ids)


def test_codes_of_two_bytes_a_symbol_are_exported(rng, tmp_path):
    index = CodeIndex(CodeSpec(300, 2))
    symbols = rng.integers(0, 300, (20, 2), dtype=np.uint16)
    index.add(symbols)
    export_index(index, "npy", tmp_path / "out.npy")
    export_index(index, "parquet", tmp_path / "out.parquet")
    np.testing.assert_array_equal(np.load(tmp_path / "out.npy"), symbols)
    np.testing.assert_array_equal(np.stack(pandas.read_parquet(tmp_path / "out.parquet")["code"]), symbols)


def test_what_cannot_be_written_is_one_line(symbols, tmp_path):
    index = CodeIndex(SPEC)
    with pytest.raises(InputError, match="expected an index with items to export; it has none"):
        export_index(index, "npy", tmp_path / "out.npy")
    index.add(symbols)
    with pytest.raises(InputError, match=r"expected \.npy to write symbols to; got out\.npz"):
        export_index(index, "npy", tmp_path / "out.npz")
    for kind in ("npy", "parquet", "faiss"):
        with pytest.raises(FileError, match="cannot write"):
            export_index(index, kind, tmp_path / "absent" / "out.npy")
    assert list(tmp_path.iterdir()) == []


def test_a_faiss_index_that_cannot_be_written_leaves_nothing(symbols, tmp_path, monkeypatch):
    index = CodeIndex(SPEC)
    index.add(symbols)

    def full(*_):
        raise RuntimeError("Error in write: no space")

    monkeypatch.setattr(faiss, "write_index", full)
    with pytest.raises(FileError, match=r"cannot write .*out\.faiss: Error in write: no space"):
        export_index(index, "faiss", tmp_path / "out.faiss")
    assert list(tmp_path.iterdir()) == []
