"""Codes in parquet read back: those of a folder of parts, and of an exported index."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dimco import CodeIndex, CodeSpec
from dimco.cluster.encoding.parts import opened_folder, part_file, write_part
from dimco.cluster.encoding.stored import check_parts, read_parquet_codes
from dimco.errors import DamagedFileError, FileError, ForeignFileError, InputError, MissingFileError
from dimco.search.export import export_index

SPEC = CodeSpec(k=6, d=3)


@pytest.fixture
def symbols(rng):
    return rng.integers(0, 6, (50, 3)).astype(np.uint8)


@pytest.fixture
def write(tmp_path, symbols):
    """Writes the 50 codes as parts of 20, beside ids made from their numbers and other columns."""

    def write(id_of, **columns):
        with opened_folder(tmp_path / "codes", {"items": 50, "parts": 3}):
            for part in range(3):
                some = slice(20 * part, 20 * part + 20)
                kept = {"id": [id_of(row) for row in range(50)[some]]}
                kept |= {name: values[some] for name, values in columns.items()}
                write_part(tmp_path / "codes", part, SPEC, pa.table(kept), symbols[some])
        return tmp_path / "codes"

    return write


def test_parts_are_read_in_their_order(write, symbols):
    found = read_parquet_codes(write(lambda row: 1_000 - row, label=[f"c{row % 4}" for row in range(50)]))
    assert found.spec == SPEC
    np.testing.assert_array_equal(found.symbols, symbols)
    np.testing.assert_array_equal(found.ids, 1_000 - np.arange(50))
    np.testing.assert_array_equal(found.labels, [f"c{row % 4}" for row in range(50)])


def test_labels_may_be_missing_and_other_columns_there(write):
    assert read_parquet_codes(write(int, file=["a.png"] * 50)).labels is None


def test_an_exported_index_is_read_back(tmp_path, symbols):
    index = CodeIndex(SPEC)
    index.add(symbols, 7 * np.arange(50), labels=np.arange(50) % 4)
    export_index(index, "parquet", tmp_path / "index.parquet")
    found = read_parquet_codes(tmp_path / "index.parquet")
    np.testing.assert_array_equal(found.ids, index.ids)
    np.testing.assert_array_equal(found.labels, index.labels)
    np.testing.assert_array_equal(found.symbols, symbols)


def test_a_folder_that_is_not_finished_is_refused(write):
    folder = write(int)
    part_file(folder, 1).unlink()
    with pytest.raises(FileError, match=r"expected 3 parts in .*codes; 2 are there: finish them"):
        read_parquet_codes(folder)


def test_ids_of_text_are_refused(write):
    with pytest.raises(InputError, match=r"expected integers as ids in .*part-00000000\.parquet; got string"):
        read_parquet_codes(write(str))


def test_what_is_something_else_is_named(write, tmp_path):
    pq.write_table(pa.table({"id": [1], "code": [2]}), tmp_path / "other.parquet")
    with pytest.raises(ForeignFileError, match=r"expected codes in parquet, .*; .*other\.parquet is another table"):
        read_parquet_codes(tmp_path / "other.parquet")
    with pytest.raises(ForeignFileError, match=r"expected a folder of codes in parts; .* has no manifest\.json"):
        read_parquet_codes(tmp_path)
    with pytest.raises(MissingFileError, match="no such file"):
        read_parquet_codes(tmp_path / "none.parquet")
    part = part_file(write(int), 0)
    part.write_bytes(part.read_bytes()[:-9])
    with pytest.raises(DamagedFileError, match=r"part-00000000\.parquet cannot be read as parquet"):
        read_parquet_codes(tmp_path / "codes")


def test_a_flipped_bit_of_the_values_is_found(write, symbols):
    folder = write(int)
    part, found = part_file(folder, 2), 0
    whole = part.read_bytes()
    for place in range(4, pq.read_metadata(part).row_group(0).total_byte_size):
        part.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        try:
            codes = read_parquet_codes(folder)
        except DamagedFileError:
            found += 1
        else:
            np.testing.assert_array_equal(codes.symbols, symbols, f"byte {place} is of a page's header")
            np.testing.assert_array_equal(codes.ids, np.arange(50))
    assert found > 0
    part.write_bytes(whole)
    check_parts(folder)
