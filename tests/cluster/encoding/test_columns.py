"""Columns of parquet by what they are for: found by name as in `load_data`, or named; any other kind is an error."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dimco.cluster.encoding.parquet_source import ParquetSource
from dimco.datasets import load_data
from dimco.errors import InputError


def _rows(source):
    return [rows for task in source.tasks(set()) for rows in task.read()]


def test_by_default_the_columns_are_those_of_load_data(tmp_path, small_parts, rng):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": rng.normal(size=50), "b": rng.integers(0, 9, 50), "y": rng.integers(0, 3, 50)})
    frame["wide"] = list(rng.normal(size=(50, 3)))
    frame.set_index(frame.index[::-1]).to_parquet(tmp_path / "frame.parquet")
    expected = load_data(tmp_path / "frame.parquet")
    rows = _rows(ParquetSource(tmp_path / "frame.parquet"))
    x = np.concatenate([part.x for part in rows])
    assert x.dtype == expected.x.dtype
    np.testing.assert_array_equal(x, expected.x)
    np.testing.assert_array_equal(np.concatenate([part.kept["label"] for part in rows]), expected.y)


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        ({"x": ["a", "b"]}, {}, r"expected numbers, or lists of them, in column 'x' of .*t\.parquet; got string"),
        ({"x": [1.0, None]}, {}, r"expected a value in every row of column 'x'; 1 are missing"),
        ({"x": [[1.0], [1.0, 2.0]]}, {}, r"expected lists of one length in column 'x'; got lengths \[1, 2\]"),
        ({"x": [1.0, 2.0], "y": [1, None]}, {}, r"expected a label in every row of column 'y'; 1 are missing"),
        ({"x": [1.0, 2.0], "i": [1, None]}, {"ids": "i"}, r"expected a value in every row of column 'i'"),
        (
            {"x": [1.0, 2.0], "i": [1.5, 2.5]},
            {"ids": "i"},
            r"expected ids as integers or text in column 'i'; got double",
        ),
        ({"x": [1.0, 2.0]}, {"ids": "i"}, r"expected a column 'i' in .*t\.parquet; it has x"),
        ({"x": [1.0, 2.0]}, {"features": ["z"]}, r"expected a column 'z' in .*t\.parquet; it has x"),
        ({"y": [1, 2]}, {}, r"expected at least one column of features in .*t\.parquet; got none"),
        ({"x": [1.0, 2.0]}, {"width": 3}, r"expected 3 features, as in training; got 1"),
        ({"x": pa.array([], pa.float32())}, {}, r"expected rows in .*t\.parquet; it holds none"),
    ],
)
def test_columns_that_cannot_be_used_are_named(tmp_path, columns, options, message):
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    with pytest.raises(InputError, match=message):
        _rows(ParquetSource(tmp_path / "t.parquet", **options))
