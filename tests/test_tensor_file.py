import json

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from dimco.errors import DamagedFileError, FileError, ForeignFileError, InputError, MissingFileError
from dimco.tensor_file import FORMAT_VERSION, check_record, read_record, read_tensors, write_tensors

TENSORS = {
    "weights": torch.arange(12, dtype=torch.float32).reshape(3, 4),
    "count": torch.tensor(7),
    "mask": torch.tensor([True, False]),
    "half": torch.tensor([1.5, -2.0], dtype=torch.bfloat16),
    "empty": torch.empty(0, 5, dtype=torch.uint8),
}
RECORD = {"k": 4, "name": "é", "nested": {"list": [1, 2.5, None]}}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "file"
    write_tensors(path, "thing", TENSORS, RECORD)
    return path


def test_tensors_and_record_load_the_same(path):
    tensors, record = read_tensors(path, "thing")
    assert record == RECORD
    assert tensors.keys() == TENSORS.keys()
    for name, tensor in TENSORS.items():
        assert tensors[name].dtype == tensor.dtype
        assert torch.equal(tensors[name], tensor)


def test_the_record_can_be_read_without_the_tensors(path):
    assert read_record(path) == ("thing", RECORD)


def test_views_and_tensors_that_share_memory_are_written_each_for_itself(tmp_path):
    whole = torch.arange(6.0).reshape(2, 3)
    write_tensors(tmp_path / "file", "thing", {"a": whole.t(), "b": whole[0]}, {})
    tensors, _ = read_tensors(tmp_path / "file", "thing")
    assert tensors["a"].tolist() == [[0, 3], [1, 4], [2, 5]]
    assert tensors["b"].tolist() == [0, 1, 2]


def test_a_file_without_tensors_is_allowed(tmp_path):
    write_tensors(tmp_path / "file", "thing", {}, {"a": 1})
    assert read_tensors(tmp_path / "file", "thing") == ({}, {"a": 1})


def test_every_cut_and_flipped_byte_is_found(path, damaged_copies):
    for damage, copy in damaged_copies(path):
        with pytest.raises(FileError):
            pytest.fail(f"{damage} was not found: {read_tensors(copy, 'thing')}")


def test_reading_the_record_of_a_damaged_file_raises_file_errors_only(path, damaged_copies):
    for _, copy in damaged_copies(path):
        try:
            read_record(copy)
        except FileError:
            continue


def test_random_bytes_are_file_errors(tmp_path, rng):
    path = tmp_path / "file"
    for length in range(0, 400, 7):
        noise = rng.bytes(length)
        for content in (noise, (length).to_bytes(8, "little") + b"{" + noise, bytes(8) + noise):
            path.write_bytes(content)
            with pytest.raises(FileError):
                read_tensors(path, "thing")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(MissingFileError, match="nothing"):
        read_tensors(tmp_path / "nothing", "thing")
    with pytest.raises(FileNotFoundError):
        read_record(tmp_path / "nothing")


def test_a_folder_and_a_name_the_system_refuses_are_file_errors(tmp_path):
    with pytest.raises(ForeignFileError, match="is a folder"):
        read_tensors(tmp_path, "thing")
    with pytest.raises(FileError, match="cannot read"):
        read_tensors(tmp_path / ("x" * 5_000), "thing")


def test_a_file_of_another_kind_says_both_kinds(path):
    with pytest.raises(ForeignFileError, match=r"expected a dimco model file; .* is a dimco thing file"):
        read_tensors(path, "model")


@pytest.mark.parametrize("content", [b"PK\x03\x04 an archive of another kind", b"0123456789", b"\x80\x04K\x01." * 5])
def test_files_of_other_programs_are_foreign(tmp_path, content):
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(ForeignFileError, match="is not a dimco file"):
        read_tensors(tmp_path / "file", "thing")


def test_safetensors_of_other_programs_are_foreign(tmp_path):
    save_file(TENSORS, tmp_path / "file")
    with pytest.raises(ForeignFileError, match="not one of dimco's"):
        read_tensors(tmp_path / "file", "thing")


@pytest.mark.parametrize("text", ["", "{", "[]", "3", '{"kind": 1, "record": {}}', '{"kind": "thing", "record": []}'])
def test_a_header_that_is_not_ours_is_damage(tmp_path, text):
    save_file(TENSORS, tmp_path / "file", metadata={"dimco": f"00000000 {text}"})
    with pytest.raises(DamagedFileError, match="record cannot be read"):
        read_tensors(tmp_path / "file", "thing")


def test_another_format_version_says_who_wrote_it(tmp_path):
    header = {"kind": "thing", "record": {}, "format": FORMAT_VERSION + 1, "dimco": "9.9"}
    save_file(TENSORS, tmp_path / "file", metadata={"dimco": f"00000000 {json.dumps(header)}"})
    with pytest.raises(ForeignFileError, match=r"expected file format 1; .* has 2, written by dimco 9\.9"):
        read_tensors(tmp_path / "file", "thing")


def test_a_file_with_another_checksum_is_damaged(tmp_path):
    header = {"kind": "thing", "record": {}, "format": FORMAT_VERSION, "dimco": "0"}
    save_file(TENSORS, tmp_path / "file", metadata={"dimco": f"00000000 {json.dumps(header)}"})
    with pytest.raises(DamagedFileError, match="checksum"):
        read_tensors(tmp_path / "file", "thing")


def test_equal_content_is_equal_bytes(tmp_path):
    for name in ("a", "b"):
        write_tensors(tmp_path / name, "thing", TENSORS, RECORD)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_failed_write_leaves_the_old_file(path):
    old = path.read_bytes()
    with pytest.raises(InputError, match="plain values; got object"):
        write_tensors(path, "thing", {}, {"not json": object()})
    assert path.read_bytes() == old
    assert list(path.parent.iterdir()) == [path]


def test_numpy_values_in_the_record_come_back_as_plain_ones(tmp_path):
    write_tensors(
        tmp_path / "file", "thing", {}, {"count": np.int64(3), "list": np.arange(2), "share": np.float32(0.5)}
    )
    assert read_tensors(tmp_path / "file", "thing")[1] == {"count": 3, "list": [0, 1], "share": 0.5}


def test_writing_into_a_missing_folder_is_a_file_error(tmp_path):
    with pytest.raises(FileError, match="cannot write"):
        write_tensors(tmp_path / "nowhere" / "file", "thing", TENSORS, RECORD)


def test_the_error_of_a_record_lists_what_it_lacks():
    check_record("file", {"a": 1, "b": 2}, ("a", "b"))
    with pytest.raises(DamagedFileError, match="file is damaged: its record lacks b, c"):
        check_record("file", {"a": 1}, ("a", "b", "c"))
