"""Reading labelled features from files."""

from __future__ import annotations

import contextlib

import numpy as np
import pandas as pd
import pytest

from dimco.datasets import load_data
from dimco.errors import DamagedFileError, DimcoError, ForeignFileError, InputError, MissingFileError

X = np.arange(12, dtype=np.float32).reshape(4, 3)
Y = np.array([0, 1, 1, 0])


def test_npz_gives_x_and_y(tmp_path):
    np.savez(tmp_path / "a.npz", x=X, y=Y)
    data = load_data(tmp_path / "a.npz")
    np.testing.assert_array_equal(data.x, X)
    np.testing.assert_array_equal(data.labels(), Y)


def test_npy_is_memory_mapped_and_takes_a_labels_file(tmp_path):
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "y.npy", Y)
    data = load_data(tmp_path / "x.npy", tmp_path / "y.npy")
    assert isinstance(data.x, np.memmap)
    np.testing.assert_array_equal(data.labels(), Y)


def test_labels_beside_an_npy_are_found_unless_others_are_named(tmp_path):
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "x.labels.npy", Y)
    np.save(tmp_path / "other.npy", 1 - Y)
    np.testing.assert_array_equal(load_data(tmp_path / "x.npy").labels(), Y)
    np.testing.assert_array_equal(load_data(tmp_path / "x.npy", tmp_path / "other.npy").labels(), 1 - Y)


@pytest.mark.parametrize(
    ("text", "labels"), [("3\n-1\n3\n0\n", [3, -1, 3, 0]), ("cat\ndog\ndog\ncat", ["cat", "dog", "dog", "cat"])]
)
def test_a_text_file_holds_a_label_a_line(tmp_path, text, labels):
    np.save(tmp_path / "x.npy", X)
    (tmp_path / "y.txt").write_text(text)
    assert load_data(tmp_path / "x.npy", tmp_path / "y.txt").labels().tolist() == labels


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("column", ["label", "species"])
def test_tables_take_their_label_column(tmp_path, suffix, column):
    table = pd.DataFrame(X, columns=["a", "b", "c"])
    table[column] = ["cat", "dog", "dog", "cat"]
    path = tmp_path / f"t.{suffix}"
    table.to_csv(path, index=False) if suffix == "csv" else table.to_parquet(path)
    data = load_data(path, None if column == "label" else column)
    np.testing.assert_array_equal(data.x, X)
    assert data.labels().tolist() == ["cat", "dog", "dog", "cat"]


def test_a_parquet_column_of_lists_is_one_wide_feature(tmp_path):
    pd.DataFrame({"embedding": list(X), "y": Y}).to_parquet(tmp_path / "t.parquet")
    data = load_data(tmp_path / "t.parquet")
    np.testing.assert_array_equal(data.x, X)
    np.testing.assert_array_equal(data.labels(), Y)


def test_missing_labels_are_asked_for(tmp_path):
    np.save(tmp_path / "x.npy", X)
    with pytest.raises(InputError, match=r"expected labels with .*x\.npy; got none"):
        load_data(tmp_path / "x.npy").labels()


def _write(tmp_path, name, **arrays):
    path = tmp_path / name
    np.savez(path, **arrays)
    return path


def test_bad_content_is_one_clear_line(tmp_path):
    nan = X.copy()
    nan[2, 1] = np.nan
    cases = [
        (_write(tmp_path, "nan.npz", x=nan, y=Y), InputError, "row 2 holds NaN or infinity"),
        (_write(tmp_path, "short.npz", x=X, y=Y[:3]), InputError, r"expected 4 labels, one an item; got shape \(3,\)"),
        (_write(tmp_path, "empty.npz", x=X[:0], y=Y[:0]), InputError, "expected at least one item"),
        (_write(tmp_path, "noname.npz", a=X), ForeignFileError, "expected an array x"),
        (_write(tmp_path, "text.npz", x=X.astype(str), y=Y), InputError, "expected real numbers as features"),
        (_write(tmp_path, "real.npz", x=X, y=Y + 0.5), InputError, "continuous values such as 0.5"),
        (tmp_path / "absent.npz", MissingFileError, "no such file"),
        (tmp_path, ForeignFileError, "is a folder"),
    ]
    for path, kind, message in cases:
        with pytest.raises(kind, match=message):
            load_data(path)


def test_python_objects_are_never_loaded(tmp_path):
    path = tmp_path / "objects.npy"
    np.save(path, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(DamagedFileError, match="Python objects"):
        load_data(path)


@pytest.mark.parametrize("name", ["a.npz", "a.npy", "a.csv", "a.parquet"])
def test_a_file_cut_anywhere_gives_a_dimco_error_or_data(tmp_path, name):
    path = tmp_path / name
    if name.endswith("npz"):
        np.savez(path, x=X, y=Y)
    elif name.endswith("npy"):
        np.save(path, X)
    elif name.endswith("csv"):
        pd.DataFrame(X).to_csv(path, index=False)
    else:
        pd.DataFrame(X, columns=["a", "b", "c"]).to_parquet(path)
    content = path.read_bytes()
    for size in range(0, len(content), max(1, len(content) // 40)):
        path.write_bytes(content[:size])
        with contextlib.suppress(DimcoError):
            load_data(path)


def test_a_foreign_file_is_named(tmp_path):
    (tmp_path / "a.txt").write_text("hello")
    with pytest.raises(ForeignFileError, match=r"expected a file of features \(.npz, .npy, .parquet, .csv\)"):
        load_data(tmp_path / "a.txt")


def test_table_columns_that_are_not_numbers_are_named(tmp_path):
    pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"], "label": [0, 1]}).to_csv(tmp_path / "t.csv", index=False)
    with pytest.raises(InputError, match="expected numbers in column 'b'"):
        load_data(tmp_path / "t.csv")
    with pytest.raises(InputError, match="expected a column 'kind'"):
        load_data(tmp_path / "t.csv", "kind")
