"""dimco index: building, adding, removing and compacting, as people type it."""

from __future__ import annotations

import numpy as np
import pytest

from dimco import CodeIndex, CodeModel
from dimco.cli import new_items
from dimco.cli.app import run
from dimco.codes_file import read_codes


def test_codes_and_a_model_with_its_data_build_the_same_index(trained, as_json, tmp_path, monkeypatch):
    monkeypatch.setattr(new_items, "_ENCODED_AT_ONCE", 64)
    first = as_json("index", "build", trained / "codes", "-o", tmp_path / "a")
    assert (first["items"], first["code"], first["bits"]) == (300, "4x3", 6)
    as_json("index", "build", trained / "model", trained / "train.npz", "-o", tmp_path / "b")
    stored = read_codes(trained / "codes")
    for name in "ab":
        index = CodeIndex.open(tmp_path / name)
        np.testing.assert_array_equal(index.reconstruct(index.ids), stored.codes.unpack())
        np.testing.assert_array_equal(index.labels, stored.labels)
        np.testing.assert_array_equal(index.ids, np.arange(300))


def test_progress_goes_to_standard_error_unless_quiet(trained, capsys, tmp_path):
    build = ["index", "build", str(trained / "model"), str(trained / "train.npz"), "-o", str(tmp_path / "a")]
    assert run(build) == 0
    captured = capsys.readouterr()
    assert "300 of 300 items" in captured.err
    assert "4x3" in captured.out
    assert run([*build, "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def test_ids_of_ones_own_come_from_a_file(trained, as_json, tmp_path):
    ids = np.random.default_rng(0).permutation(1_000)[:300]
    np.save(tmp_path / "ids.npy", ids)
    (tmp_path / "ids.txt").write_text("\n".join(map(str, ids)))
    for name in ("ids.npy", "ids.txt"):
        as_json("index", "build", trained / "codes", "-o", tmp_path / "a", "--ids-file", tmp_path / name)
        index = CodeIndex.open(tmp_path / "a")
        np.testing.assert_array_equal(index.reconstruct(ids), read_codes(trained / "codes").codes.unpack())


def test_adding_appends(trained, index, as_json):
    before = index.read_bytes()
    result = as_json("index", "add", index, trained / "codes")
    assert (result["items"], result["added"]) == (600, 300)
    assert index.read_bytes()[8_192 : len(before)] == before[8_192:], "what was there is not written again"
    opened = CodeIndex.open(index)
    np.testing.assert_array_equal(opened.ids, np.arange(600))
    np.testing.assert_array_equal(opened.reconstruct(opened.ids[300:]), read_codes(trained / "codes").codes.unpack())


def test_whole_numbers_that_were_floats_are_labels(trained, as_json, tmp_path):
    with np.load(trained / "train.npz") as data:
        np.savez(tmp_path / "floats.npz", x=data["x"], y=data["y"].astype(float))
        as_json("index", "build", trained / "model", tmp_path / "floats.npz", "-o", tmp_path / "a")
        np.testing.assert_array_equal(CodeIndex.open(tmp_path / "a").labels, data["y"])


def test_data_without_labels_makes_an_index_without(trained, as_json, tmp_path):
    with np.load(trained / "train.npz") as data:
        np.save(tmp_path / "x.npy", data["x"])
    as_json("index", "build", trained / "model", tmp_path / "x.npy", "-o", tmp_path / "a")
    assert CodeIndex.open(tmp_path / "a").labels is None


@pytest.mark.parametrize("file", [None, "ids.npy", "ids.txt"])
def test_items_are_removed_by_id(index, as_json, tmp_path, file):
    np.save(tmp_path / "ids.npy", [5, 7])
    (tmp_path / "ids.txt").write_text("5\n7\n")
    chosen = ("--ids", "5, 7") if file is None else ("--ids", "5", "--ids-file", tmp_path / file)
    result = as_json("index", "remove", index, *chosen)
    assert (result["items"], result["removed"]) == (298, 2)
    assert not {5, 7} & set(CodeIndex.open(index).ids.tolist())


def test_items_are_removed_by_label(trained, index, as_json, tmp_path):
    labels = CodeIndex.open(index).labels
    assert as_json("index", "remove", index, "--label", 1, "--label", 3)["items"] == (labels % 2 == 0).sum()
    assert set(CodeIndex.open(index).labels.tolist()) == {0, 2}
    as_json("index", "build", trained / "model", trained / "test.npz", "-o", tmp_path / "names")
    as_json("index", "remove", tmp_path / "names", "--label", "class 2")
    assert set(CodeIndex.open(tmp_path / "names").labels.tolist()) == {"class 0", "class 1", "class 3"}


def test_compaction_frees_what_was_removed(index, as_json):
    as_json("index", "remove", index, "--ids", ",".join(map(str, range(200))))
    assert as_json("info", index)["removed"] == 200
    before = index.stat().st_size
    result = as_json("index", "compact", index)
    assert result["bytes_freed"] == before - index.stat().st_size > 0
    opened = CodeIndex.open(index)
    np.testing.assert_array_equal(opened.ids, np.arange(200, 300))
    assert as_json("info", index)["removed"] == 0


def test_info_shows_both_sizes(index, as_json):
    facts = as_json("info", index)
    assert (facts["kind"], facts["items"], facts["code"]) == ("index", 300, "4x3")
    assert facts["packed_bytes"] == 300 * 6 / 8
    assert facts["index_bytes"] == 5 * 64 * 2 // 2, "5 blocks of 64, two columns of a nibble"


def test_wrong_use_exits_with_2_and_one_line(trained, index, error_of, tmp_path):
    (tmp_path / "bad.txt").write_text("1\ntwo\n")
    np.save(tmp_path / "bad.npy", [1.5])
    (tmp_path / "bytes.npy").write_bytes(b"\x93NUMPY rubbish")
    model, train = trained / "model", trained / "train.npz"
    cases = {
        ("build", model): "expected data for",
        ("build", trained / "codes", train): "alone, as it holds codes and their labels",
        ("build", train): "is not a dimco file",
        ("build", trained / "codes", "-o", tmp_path): "is a folder",
        ("build", tmp_path / "absent"): "no such file",
        ("add", index, trained / "other", train): "expected codes of 4x3, as in",
        ("add", index, model, trained / "test.npz"): "expected labels of type int",
        ("add", trained / "codes", model, train): "is not a dimco index file",
        ("remove", index): "either by --ids or --ids-file, or by --label; got neither",
        ("remove", index, "--ids", "1", "--label", "1"): "got both",
        ("remove", index, "--ids", "1,two"): "expected integers in --ids; got 'two'",
        ("remove", index, "--ids", "99999999999999999999"): "expected integers in --ids",
        ("remove", index, "--ids", "300"): "it holds no item with id 300",
        ("remove", index, "--ids-file", tmp_path / "absent"): "no such file of ids",
        ("remove", index, "--ids-file", tmp_path / "bad.txt"): "got 'two'",
        ("remove", index, "--ids-file", tmp_path / "bad.npy"): "expected a list of integers",
        ("remove", index, "--ids-file", tmp_path / "bytes.npy"): "expected ids as .npy or one a line of text",
        ("remove", index, "--label", "cat"): "expected integers in --label, as the index holds; got 'cat'",
        ("remove", index, "--label", "77"): "it holds none labelled 77",
        ("build", index): "is a dimco index",
        ("compact", tmp_path / "absent"): "no such file",
    }
    before = index.read_bytes()
    for arguments, message in cases.items():
        code, line = error_of("index", *arguments)
        assert code == 2, (arguments, line)
        assert message in line, (arguments, line)
    assert index.read_bytes() == before


def test_a_label_asked_of_an_index_without_any_is_wrong_use(trained, error_of, tmp_path):
    index = CodeIndex(CodeModel.load(trained / "model").spec)
    index.add([[0, 1, 2]])
    index.save(tmp_path / "bare")
    code, line = error_of("index", "remove", tmp_path / "bare", "--label", "cat")
    assert (code, "expected an index with labels to choose 'cat' from" in line) == (2, True)


def test_a_folder_that_is_not_there_is_a_failure_before_the_work(trained, error_of, tmp_path):
    code, line = error_of("index", "build", trained / "codes", "-o", tmp_path / "absent" / "a")
    assert (code, "cannot write" in line) == (1, True)
