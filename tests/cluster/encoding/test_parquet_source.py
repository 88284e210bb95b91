"""Parquet as parts: the rows of all files in order, whatever their row groups, columns and what is finished."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dimco.cluster.encoding.parquet_source import ParquetSource
from dimco.errors import DamagedFileError, ForeignFileError, InputError, MissingFileError


def _rows(source, finished=frozenset()):
    return [rows for task in source.tasks(set(finished)) for rows in task.read()]


@pytest.fixture
def named(small_parts):
    """Opens a source with the columns of the test tables."""
    return lambda data, **more: ParquetSource(data, ["embedding"], **{"ids": "key", "labels": "label", **more})


def test_parts_hold_the_rows_of_all_files_in_order(collection, named):
    folder, tables = collection
    source = named(folder)
    rows = _rows(source)
    whole = pa.concat_tables(tables.values())
    assert source.items == 221
    assert [len(part.x) for part in rows] == source.sizes == [32, 32, 32, 32, 22, 31, 32, 8]
    assert [part.part for part in rows] == list(range(8))
    np.testing.assert_array_equal(np.concatenate([part.x for part in rows]), np.stack(whole["embedding"].to_numpy()))
    kept = pa.concat_tables([part.kept for part in rows])
    assert kept.column_names == ["id", "label"]
    assert kept["id"].to_pylist() == whole["key"].to_pylist()
    assert kept["label"].to_pylist() == whole["label"].to_pylist()


def test_ids_are_counted_over_all_files_where_no_column_has_them(collection, named):
    kept = pa.concat_tables([rows.kept for rows in _rows(named(collection[0], ids=None))])
    assert kept["id"].to_pylist() == list(range(221))


@pytest.mark.parametrize("finished", [{0}, {1, 2}, {4}, {0, 2, 4, 6}, set(range(7))])
def test_finished_parts_are_not_read(collection, named, finished):
    source = named(collection[0])
    every, rest = _rows(source), _rows(source, finished)
    assert [rows.part for rows in rest] == [part for part in range(8) if part not in finished]
    for rows in rest:
        np.testing.assert_array_equal(rows.x, every[rows.part].x)
        assert rows.kept.equals(every[rows.part].kept)


def test_parts_of_one_row_group_are_read_together(tmp_path, table_of, named):
    pq.write_table(table_of(200), tmp_path / "one.parquet")
    pq.write_table(table_of(200), tmp_path / "many.parquet", row_group_size=10)
    assert len(named(tmp_path / "one.parquet").tasks(set())) == 1
    assert len(named(tmp_path / "many.parquet").tasks(set())) == 7


def test_the_record_tells_collections_apart_that_differ_in_one_value(tmp_path, table_of, named):
    table = table_of(40)
    x = np.stack(table["embedding"].to_numpy())
    x[7, 3] += 40
    other = pa.FixedSizeListArray.from_arrays(pa.array(x.reshape(-1)), x.shape[1])
    pq.write_table(table, tmp_path / "t.parquet")
    before, again = named(tmp_path / "t.parquet").record, named(tmp_path / "t.parquet").record
    pq.write_table(table.set_column(1, "embedding", other), tmp_path / "t.parquet")
    assert before == again != named(tmp_path / "t.parquet").record


def test_a_row_that_holds_nan_is_named_with_its_file(tmp_path, named, rng):
    x = rng.normal(size=(60, 2))
    x[41, 1] = np.nan
    columns = {"embedding": pa.FixedSizeListArray.from_arrays(pa.array(x.reshape(-1)), 2), "label": [1] * 60}
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    with pytest.raises(InputError, match=r"t\.parquet: expected finite features; row 41 holds NaN or infinity"):
        _rows(named(tmp_path / "t.parquet", ids=None))


def test_files_must_have_the_columns_of_the_first_one(tmp_path, table_of, named):
    pq.write_table(table_of(5), tmp_path / "a.parquet")
    pq.write_table(table_of(5).drop_columns("key"), tmp_path / "b.parquet")
    with pytest.raises(InputError, match=r"expected int64 in column 'key' of .*b\.parquet, .*; got no such column"):
        named(tmp_path)


def test_what_is_no_parquet_is_named(tmp_path):
    (tmp_path / "a.parquet").write_bytes(b"PAR1 and nothing more")
    (tmp_path / "a.npz").write_bytes(b"")
    with pytest.raises(DamagedFileError, match=r"a\.parquet cannot be read as parquet"):
        ParquetSource(tmp_path)
    with pytest.raises(ForeignFileError, match=r"expected a \.parquet file, or a folder; got a\.npz"):
        ParquetSource(tmp_path / "a.npz")
    with pytest.raises(MissingFileError, match="no such file or folder"):
        ParquetSource(tmp_path / "b.parquet")
