import pytest
import torch

from dimco.codes import Codes
from dimco.codes_file import KIND, read_codes, write_codes
from dimco.errors import DamagedFileError, FileError, ForeignFileError, InputError, MissingFileError
from dimco.spec import CodeSpec
from dimco.tensor_file import write_tensors


@pytest.fixture
def codes(rng):
    return Codes(rng.integers(0, 5, (9, 3)), CodeSpec(5, 3))


@pytest.mark.parametrize("k", [2, 5, 256, 257, 65_536])
@pytest.mark.parametrize("n", [0, 1, 13])
def test_saved_codes_load_the_same(tmp_path, rng, k, n):
    codes = Codes(rng.integers(0, k, (n, 3)), CodeSpec(k, 3))
    codes.save(tmp_path / "codes")
    assert Codes.load(tmp_path / "codes") == codes


@pytest.mark.parametrize("labels", [list("abcabcabc"), [7, -2, 5] * 3, ["é", "", "日本"] * 3, [True, False, True] * 3])
def test_labels_and_source_load_the_same(tmp_path, codes, labels):
    write_codes(tmp_path / "codes", codes, labels, {"model": "m", "seed": 3})
    stored = read_codes(tmp_path / "codes")
    assert stored.codes == codes
    assert stored.labels.tolist() == labels
    assert stored.source == {"model": "m", "seed": 3}


def test_codes_without_labels_load_without_labels(tmp_path, codes):
    write_codes(tmp_path / "codes", codes)
    stored = read_codes(str(tmp_path / "codes"))
    assert stored.labels is None
    assert stored.source == {}


def test_a_slice_is_saved_without_the_rest(tmp_path, rng):
    codes = Codes(rng.integers(0, 256, (10_000, 4)), CodeSpec(256, 4))
    codes[8:16].save(tmp_path / "part")
    assert Codes.load(tmp_path / "part") == codes[8:16]
    assert (tmp_path / "part").stat().st_size < 1_000


@pytest.mark.parametrize("labels", [[1, 2], [[1]] * 9, 5])
def test_labels_that_are_not_one_a_code_are_refused(tmp_path, codes, labels):
    with pytest.raises(InputError, match="expected 9 labels"):
        codes.save(tmp_path / "codes", labels)
    assert list(tmp_path.iterdir()) == []


def test_every_cut_and_flipped_byte_is_found(tmp_path, codes, damaged_copies):
    write_codes(tmp_path / "codes", codes, list("abcabcabc"))
    for damage, copy in damaged_copies(tmp_path / "codes"):
        with pytest.raises(FileError):
            pytest.fail(f"{damage} was not found: {read_codes(copy)}")


RECORD = {"k": 5, "d": 3, "length": 2, "source": {}, "classes": ["a", "b"]}
TENSORS = {"packed": torch.zeros(3, dtype=torch.uint8), "labels": torch.tensor([0, 1], dtype=torch.int32)}


def test_the_record_made_by_hand_below_is_right(tmp_path):
    write_tensors(tmp_path / "codes", KIND, TENSORS, RECORD)
    assert read_codes(tmp_path / "codes").labels.tolist() == ["a", "b"]


@pytest.mark.parametrize(
    "change",
    [
        {"k": 1},
        {"k": "5"},
        {"d": 2},
        {"length": 7},
        {"length": -1},
        {"length": "2"},
        {"classes": ["a"]},
        {"classes": "ab"},
        {"classes": [["a"], "b"]},
        {"classes": {}},
    ],
)
def test_records_that_contradict_the_bytes_are_damaged_files(tmp_path, change):
    write_tensors(tmp_path / "codes", KIND, TENSORS, RECORD | change)
    with pytest.raises(DamagedFileError, match="is damaged"):
        read_codes(tmp_path / "codes")


@pytest.mark.parametrize("name", ["k", "d", "length", "source", "classes"])
def test_records_that_lack_a_name_are_damaged_files(tmp_path, name):
    write_tensors(tmp_path / "codes", KIND, TENSORS, {key: RECORD[key] for key in RECORD if key != name})
    with pytest.raises(DamagedFileError, match=name):
        read_codes(tmp_path / "codes")


@pytest.mark.parametrize(
    "tensors",
    [
        {},
        TENSORS | {"labels": torch.zeros(3, dtype=torch.int32)},
        TENSORS | {"labels": torch.tensor([0, 2], dtype=torch.int32)},
        TENSORS | {"labels": torch.zeros(2)},
        TENSORS | {"packed": torch.zeros(3, dtype=torch.bfloat16)},
        TENSORS | {"packed": torch.zeros(3, 1, dtype=torch.uint8)},
    ],
)
def test_tensors_that_contradict_the_record_are_damaged_files(tmp_path, tensors):
    write_tensors(tmp_path / "codes", KIND, tensors, RECORD)
    with pytest.raises(DamagedFileError, match="is damaged"):
        read_codes(tmp_path / "codes")


def test_missing_files_folders_and_other_kinds_are_told_apart(tmp_path):
    with pytest.raises(MissingFileError, match="no such file"):
        Codes.load(tmp_path / "nothing")
    with pytest.raises(ForeignFileError, match="folder"):
        Codes.load(tmp_path)
    write_tensors(tmp_path / "model", "model", {}, {})
    with pytest.raises(ForeignFileError, match=r"expected a dimco codes file; .* is a dimco model file"):
        Codes.load(tmp_path / "model")
